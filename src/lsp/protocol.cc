#include "lsp/protocol.h"

#include <algorithm>
#include <array>

#include "base/file_uri.h"
#include "base/strings.h"

namespace helve::lsp {
namespace {

const Json kNull;

const Json& member(const Json& json, std::string_view key) {
  const Json* found = json.find(key);
  return found != nullptr ? *found : kNull;
}

std::size_t number(const Json& json) {
  std::int64_t whole = 0;
  // Some servers use the largest number for "to the end of the line".
  if (!json.fits_int64(whole)) return json.is_number() ? std::size_t{1} << 31 : 0;
  return whole < 0 ? 0 : static_cast<std::size_t>(whole);
}

std::optional<Location> read_location(const Json& json) {
  const bool link = json.find("targetUri") != nullptr;
  const auto path = path_of_uri(text_in(json, link ? "targetUri" : "uri"));
  if (!path) return std::nullopt;
  const Json& range =
      link ? (json.find("targetSelectionRange") != nullptr ? member(json, "targetSelectionRange")
                                                           : member(json, "targetRange"))
           : member(json, "range");
  return Location{*path, read_range(range)};
}

std::string read_markup(const Json& json) {
  if (json.is_string()) return json.as_string();
  const std::string value = text_in(json, "value");
  const std::string language = text_in(json, "language");
  return language.empty() ? value : concat("```", language, "\n", value, "\n```");
}

void read_symbol(const Json& json, const std::string& container, int depth, std::vector<SymbolEntry>& found) {
  constexpr int kMaxSymbolDepth = 64;
  if (!json.is_object() || depth > kMaxSymbolDepth) return;
  SymbolEntry entry{.name = text_in(json, "name"),
                    .kind = std::string(symbol_kind_name(static_cast<int>(number(member(json, "kind"))))),
                    .container = container,
                    .detail = text_in(json, "detail"),
                    .range = read_range(member(json, "range")),
                    .selection = read_range(member(json, "selectionRange"))};
  if (const Json* location = json.find("location")) {
    entry.path = path_of_uri(text_in(*location, "uri")).value_or("");
    entry.range = entry.selection = read_range(member(*location, "range"));
    entry.container = text_in(json, "containerName");
  }
  const std::string inner = container.empty() ? entry.name : concat(container, "/", entry.name);
  found.push_back(std::move(entry));
  if (const Json* children = json.find("children"); children != nullptr && children->is_array())
    for (const Json& child : children->as_array()) read_symbol(child, inner, depth + 1, found);
}

Expected<FileEdits> read_file_edits(std::string_view uri, const Json& edits) {
  const auto path = path_of_uri(uri);
  if (!path)
    return fail(ErrorCode::kExecutionFailed,
                concat("The language server wants to change ", uri, ", which is not a file."));
  return FileEdits{*path, read_text_edits(edits)};
}

void add(std::vector<FileEdits>& all, FileEdits more) {
  const auto known = std::ranges::find(all, more.path, &FileEdits::path);
  if (known == all.end())
    all.push_back(std::move(more));
  else
    std::ranges::move(more.edits, std::back_inserter(known->edits));
}

}  // namespace

Json to_json(const Position& position) {
  return JsonObject{{"line", position.line}, {"character", position.character}};
}

Json position_params(std::string_view path, const Position& position) {
  return JsonObject{{"textDocument", JsonObject{{"uri", file_uri(path)}}}, {"position", to_json(position)}};
}

Position read_position(const Json& json) {
  return {number(member(json, "line")), number(member(json, "character"))};
}

Range read_range(const Json& json) {
  return {read_position(member(json, "start")), read_position(member(json, "end"))};
}

std::vector<Location> read_locations(const Json& json) {
  std::vector<Location> found;
  const auto take = [&](const Json& each) {
    if (auto location = read_location(each); location && std::ranges::find(found, *location) == found.end())
      found.push_back(*std::move(location));
  };
  if (json.is_array())
    for (const Json& each : json.as_array()) take(each);
  else if (json.is_object())
    take(json);
  return found;
}

std::string read_hover(const Json& json) {
  const Json& contents = member(json, "contents");
  if (!contents.is_array()) return std::string(trim(read_markup(contents)));
  std::string text;
  for (const Json& part : contents.as_array()) {
    const std::string piece(trim(read_markup(part)));
    if (!piece.empty()) text += concat(text.empty() ? "" : "\n\n", piece);
  }
  return text;
}

std::string_view to_string(Diagnostic::Severity severity) {
  switch (severity) {
    case Diagnostic::Severity::kError: return "error";
    case Diagnostic::Severity::kWarning: return "warning";
    case Diagnostic::Severity::kInformation: return "information";
    case Diagnostic::Severity::kHint: return "hint";
  }
  return "error";
}

std::vector<Diagnostic> read_diagnostics(const Json& json) {
  std::vector<Diagnostic> found;
  if (!json.is_array()) return found;
  for (const Json& each : json.as_array()) {
    Diagnostic diagnostic{.range = read_range(member(each, "range")),
                          .source = text_in(each, "source"),
                          .message = text_in(each, "message")};
    const Json& code = member(each, "code");
    diagnostic.code = code.is_string() ? code.as_string() : code.is_number() ? to_text(code) : "";
    if (const std::size_t severity = number(member(each, "severity")); severity >= 1 && severity <= 4)
      diagnostic.severity = static_cast<Diagnostic::Severity>(severity);
    found.push_back(std::move(diagnostic));
  }
  std::ranges::stable_sort(found, {}, &Diagnostic::range);
  return found;
}

std::string_view symbol_kind_name(int kind) {
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"symbol",   "file",        "module",      "namespace", "package",   "class",         "method",
       "property", "field",       "constructor", "enum",      "interface", "function",      "variable",
       "constant", "string",      "number",      "boolean",   "array",     "object",        "key",
       "null",     "enum member", "struct",      "event",     "operator",  "type parameter"});
  return kind > 0 && static_cast<std::size_t>(kind) < kNames.size() ? kNames[static_cast<std::size_t>(kind)]
                                                                    : kNames[0];
}

std::vector<SymbolEntry> read_symbols(const Json& json) {
  std::vector<SymbolEntry> found;
  if (json.is_array())
    for (const Json& each : json.as_array()) read_symbol(each, "", 0, found);
  return found;
}

std::vector<TextEdit> read_text_edits(const Json& json) {
  std::vector<TextEdit> edits;
  if (!json.is_array()) return edits;
  for (const Json& each : json.as_array())
    edits.push_back({read_range(member(each, "range")), text_in(each, "newText")});
  return edits;
}

Expected<std::vector<FileEdits>> read_workspace_edit(const Json& json) {
  std::vector<FileEdits> all;
  if (const Json& changes = member(json, "documentChanges"); changes.is_array()) {
    for (const Json& change : changes.as_array()) {
      if (const std::string kind = text_in(change, "kind"); !kind.empty())
        return fail(
            ErrorCode::kExecutionFailed,
            concat("The language server wants to ", kind, " a file for this, which is not supported."),
            "Make the change by hand: move the file, then edit its uses.");
      auto edits = read_file_edits(text_in(member(change, "textDocument"), "uri"), member(change, "edits"));
      if (!edits) return fail(edits.error());
      add(all, *std::move(edits));
    }
    return all;
  }
  if (const Json& changes = member(json, "changes"); changes.is_object()) {
    for (const auto& [uri, list] : changes.as_object()) {
      auto edits = read_file_edits(uri, list);
      if (!edits) return fail(edits.error());
      add(all, *std::move(edits));
    }
  }
  return all;
}

Expected<std::string> apply_edits(std::string_view text, std::vector<TextEdit> edits, ColumnUnit unit) {
  std::ranges::stable_sort(edits, {}, [](const TextEdit& edit) { return edit.range.start; });
  const LineTable lines(text);
  std::string result;
  std::size_t done = 0;
  for (const TextEdit& edit : edits) {
    const std::size_t begin = lines.offset_of(edit.range.start, unit);
    const std::size_t end = lines.offset_of(edit.range.end, unit);
    if (begin < done || end < begin || edit.range.start.line > lines.size())
      return fail(ErrorCode::kConflict, "The language server's edits overlap or do not fit the file.",
                  "Try again; the file may have changed.");
    result += text.substr(done, begin - done);
    result += edit.new_text;
    done = end;
  }
  result += text.substr(done);
  return result;
}

}  // namespace helve::lsp
