#include "toolkit/lsp_report.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "workspace/path_check.h"

namespace helve::toolkit {
namespace {

using lsp::Spot;

constexpr std::size_t kMostDiagnostics = 200;
constexpr std::string_view kCounting =
    "Lines and columns count from 1 here; in data and in parameters from 0.\n";

std::string server_notes(const lsp::AnswerInfo& info) {
  std::string text;
  for (const std::string& note : info.notes) text += concat("note: ", note, "\n");
  return text;
}

std::string place_of(const lsp::Spot& spot) {
  return concat(workspace::printable_path(spot.path), ":", spot.range.start.line + 1, ":", spot.column);
}

std::string line_of(const lsp::Spot& spot) {
  std::string text = spot.outside ? "(outside of the workspace)" : spot.text;
  if (!spot.symbol.empty()) text += concat("  [in ", spot.symbol, "]");
  return text;
}

JsonObject spot_json(const lsp::Spot& spot) {
  JsonObject json{{"path", to_valid_utf8(spot.path)},
                  {"line", spot.range.start.line},
                  {"character", spot.range.start.character},
                  {"endLine", spot.range.end.line},
                  {"endCharacter", spot.range.end.character}};
  if (!spot.text.empty()) json.append("text", spot.text);
  if (!spot.symbol.empty()) json.append("symbol", spot.symbol);
  if (spot.outside) json.append("outside", true);
  return json;
}

std::string grouped(const std::vector<lsp::Spot>& spots) {
  std::string text;
  for (std::size_t i = 0; i < spots.size();) {
    const auto same = [&](const lsp::Spot& each) { return each.path == spots[i].path; };
    const auto begin = spots.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = std::find_if_not(begin, spots.end(), same);
    if (end - begin == 1) {
      text += concat(place_of(*begin), ": ", line_of(*begin), "\n");
    } else {
      text += concat(workspace::printable_path(begin->path), "\n");
      for (auto spot = begin; spot != end; ++spot)
        text += concat("  ", spot->range.start.line + 1, ":", spot->column, ": ", line_of(*spot), "\n");
    }
    i += static_cast<std::size_t>(end - begin);
  }
  return text;
}

// Explains an empty answer by showing the position as it was understood.
std::string nothing_at(const lsp::Spot& asked, const lsp::AnswerInfo& info) {
  return concat(info.server, " finds nothing for ", place_of(asked), ", which is on the line\n  ", asked.text,
                "\nPoint to the name itself, or give symbol instead of line and character.\n");
}

std::string plural(std::string_view noun, std::size_t count) {
  return count == 1 ? std::string(noun) : concat(noun, "s");
}

}  // namespace

void add_answer_info(Json& data, const lsp::AnswerInfo& info) {
  data["server"] = info.server;
  data["state"] = info.partial ? "indexing" : "ready";
  data["partial"] = info.partial;
  if (info.notes.empty()) return;
  JsonArray notes;
  for (const std::string& note : info.notes) notes.emplace_back(note);
  data["notes"] = std::move(notes);
}

namespace {

// Places that may be uses as well.
std::string unconfirmed_text(const lsp::FoundPlaces& found) {
  std::string text;
  if (found.unconfirmed_total > 0)
    text +=
        concat("Not confirmed by ", found.info.server, ": ", count_of(found.unconfirmed_total, "more place"),
               " with this name. Read them:\n", grouped(found.unconfirmed));
  if (found.unconfirmed.size() < found.unconfirmed_total)
    text += concat("… and ", found.unconfirmed_total - found.unconfirmed.size(), " more.\n");
  if (found.unchecked_files > 0)
    text += concat(count_of(found.unchecked_files, "more file"),
                   " with this name could not be checked. Use grep to see them.\n");
  return text;
}

}  // namespace

Output report_places(const lsp::FoundPlaces& found, std::string_view noun) {
  Output output;
  JsonArray places;
  for (const lsp::Spot& spot : found.spots) places.emplace_back(spot_json(spot));
  output.data = JsonObject{{"asked", spot_json(found.asked)},
                           {"places", std::move(places)},
                           {"total", found.total},
                           {"files", found.files}};
  add_answer_info(output.data, found.info);
  output.truncated = found.spots.size() < found.total;
  if (found.total == 0) {
    output.summary = concat("No ", noun, " found", found.info.partial ? " yet" : "");
    output.content =
        concat(server_notes(found.info), nothing_at(found.asked, found.info), unconfirmed_text(found));
    return output;
  }
  output.summary = concat("Found ", found.total, " ", plural(noun, found.total), " in ",
                          count_of(found.files, "file"), found.info.partial ? " so far" : "");
  if (found.unconfirmed_total > 0)
    output.summary += concat(", and ", count_of(found.unconfirmed_total, "place"), " not confirmed");
  output.content = concat(server_notes(found.info), grouped(found.spots));
  if (output.truncated)
    output.content += concat("… and ", found.total - found.spots.size(), " more, of ", found.total,
                             " in all. Use grep to see the rest.\n");
  output.content += unconfirmed_text(found);
  output.content += kCounting;
  return output;
}

Output report_references(const lsp::FoundPlaces& found) {
  Output output = report_places(found, "reference");
  output.data["partial"] = !found.is_whole();
  JsonArray unconfirmed;
  for (const lsp::Spot& spot : found.unconfirmed) unconfirmed.emplace_back(spot_json(spot));
  output.data["unconfirmed"] = std::move(unconfirmed);
  output.data["unconfirmedTotal"] = found.unconfirmed_total;
  output.data["uncheckedFiles"] = found.unchecked_files;
  return output;
}

Output report_hover(const lsp::HoverText& hover) {
  Output output;
  output.data = JsonObject{{"asked", spot_json(hover.asked)}, {"text", hover.text}};
  add_answer_info(output.data, hover.info);
  output.summary = concat(hover.text.empty() ? "Nothing is known about " : "About ", place_of(hover.asked));
  output.content = concat(server_notes(hover.info), hover.text.empty() ? nothing_at(hover.asked, hover.info)
                                                                       : concat(hover.text, "\n"));
  return output;
}

std::string diagnostic_lines(const std::vector<lsp::FoundDiagnostic>& diagnostics, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, diagnostics.size()); ++i) {
    const auto& [spot, diagnostic] = diagnostics[i];
    text += concat(place_of(spot), ": ", lsp::to_string(diagnostic.severity), ": ",
                   replace_all(shortened(diagnostic.message, 1000), "\n", "\n    "),
                   diagnostic.code.empty() ? "" : concat(" (", diagnostic.code, ")"), "\n");
    if (!spot.text.empty()) text += concat("    ", spot.text, "\n");
  }
  if (diagnostics.size() > most) text += concat("… and ", diagnostics.size() - most, " more\n");
  return text;
}

Json diagnostics_json(const std::vector<lsp::FoundDiagnostic>& diagnostics, std::size_t most) {
  JsonArray list;
  for (std::size_t i = 0; i < std::min(most, diagnostics.size()); ++i) {
    const auto& [spot, diagnostic] = diagnostics[i];
    JsonObject json = spot_json(spot);
    json.append("severity", lsp::to_string(diagnostic.severity));
    json.append("code", diagnostic.code);
    json.append("source", diagnostic.source);
    json.append("message", diagnostic.message);
    list.emplace_back(std::move(json));
  }
  return list;
}

Output report_diagnostics(const lsp::FileDiagnostics& found) {
  using Severity = lsp::Diagnostic::Severity;
  const auto count = [&](Severity severity) {
    return static_cast<std::size_t>(std::ranges::count_if(
        found.diagnostics, [&](const auto& each) { return each.diagnostic.severity == severity; }));
  };
  const std::size_t errors = count(Severity::kError);
  const std::size_t warnings = count(Severity::kWarning);
  const std::size_t hints = found.diagnostics.size() - errors - warnings;
  Output output;
  output.data = JsonObject{{"path", to_valid_utf8(found.path)},
                           {"diagnostics", diagnostics_json(found.diagnostics, kMostDiagnostics)},
                           {"total", found.diagnostics.size()},
                           {"errors", errors},
                           {"warnings", warnings}};
  add_answer_info(output.data, found.info);
  output.truncated = found.diagnostics.size() > kMostDiagnostics;
  output.summary =
      concat(found.path, ": ", count_of(errors, "error"), ", ", count_of(warnings, "warning"),
             hints > 0 ? concat(", ", count_of(hints, "hint")) : "", " (", found.info.server, ")");
  output.content = server_notes(found.info);
  if (found.diagnostics.empty())
    output.content += concat(found.info.server, " finds nothing wrong with ", found.path, " as it is now.\n");
  else
    output.content += concat(diagnostic_lines(found.diagnostics, kMostDiagnostics), kCounting);
  return output;
}

Output report_symbols(const lsp::FoundSymbols& found, std::string_view query) {
  Output output;
  JsonArray list;
  std::string lines;
  std::string last;
  for (const auto& [spot, symbol] : found.symbols) {
    JsonObject json = spot_json(spot);
    json.erase("symbol");
    json.append("name", symbol.name);
    json.append("kind", symbol.kind);
    json.append("container", symbol.container);
    list.emplace_back(std::move(json));
    if (spot.path != last) lines += concat(workspace::printable_path(spot.path), "\n");
    last = spot.path;
    lines += concat("  ", spot.range.start.line + 1, ":", spot.column, ": ", symbol.kind, " ",
                    symbol.container.empty() ? "" : concat(symbol.container, "/"), symbol.name, "\n");
  }
  output.data = JsonObject{{"symbols", std::move(list)}, {"total", found.total}};
  add_answer_info(output.data, found.info);
  output.truncated = found.symbols.size() < found.total;
  output.summary = concat("Found ", count_of(found.total, "symbol"), found.info.partial ? " so far" : "");
  output.content = server_notes(found.info);
  if (found.symbols.empty())
    output.content += concat(found.info.server, " knows no symbol",
                             query.empty() ? "s in this file" : concat(" like ", query), ".\n");
  else
    output.content += concat(lines, kCounting);
  if (output.truncated)
    output.content += concat("… and ", found.total - found.symbols.size(), " more; make the query longer.\n");
  return output;
}

}  // namespace helve::toolkit
