// Queries about whole files: diagnostics, symbol lists, and the edits of a format.
#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "lsp/questions.h"
#include "search/find.h"

namespace helve::lsp {
namespace {

std::vector<FoundDiagnostic> place_diagnostics(const std::string& path, const Diagnosis& diagnosis,
                                               ColumnUnit unit) {
  const LineTable lines(*diagnosis.document.text);
  std::vector<FoundDiagnostic> found;
  for (const Diagnostic& each : diagnosis.diagnostics) {
    const std::string_view line = lines.line(each.range.start.line);
    Spot spot{.path = path, .range = lines.convert(each.range, unit, ColumnUnit::kUtf16)};
    spot.column =
        1 + column_of_byte(line, byte_of_column(line, each.range.start.character, unit), ColumnUnit::kUtf32);
    spot.text = shortened(trim(line), 300);
    found.push_back({std::move(spot), each});
  }
  return found;
}

// Positions are not compared, because an edit moves lines.
bool same_finding(const Diagnostic& one, const Diagnostic& other) {
  return one.severity == other.severity && one.code == other.code && one.message == other.message;
}

}  // namespace

Expected<FileDiagnostics> Questions::diagnostics(const std::string& path, const WaitLimit& limit) {
  return with_restart([&]() -> Expected<FileDiagnostics> {
    auto asked = open(path, limit);
    if (!asked) return fail(asked.error());
    const auto diagnosis = asked->server->diagnose(asked->document, limit);
    if (!diagnosis) return fail(diagnosis.error());
    FileDiagnostics found{.info = std::move(asked->info), .path = relative(asked->document.path)};
    finish(found.info, *asked->server);
    found.diagnostics = place_diagnostics(found.path, *diagnosis, asked->server->unit());
    return found;
  });
}

Expected<FileDiagnostics> Questions::new_diagnostics(const std::string& path, const std::string& old_text,
                                                     const WaitLimit& limit) {
  const auto file = absolute(path);
  if (!file) return fail(file.error());
  const auto server = options_.servers.server_for(*file, limit);
  if (!server) return fail(server.error());
  // The old text is diagnosed first, to know which diagnostics are not new.
  std::vector<Diagnostic> before;
  if (const auto old_document = (*server)->prepare_as({.path = *file, .text = old_text}, limit)) {
    if (!(*server)->wait_ready(limit))
      return fail(ErrorCode::kTimeout, concat((*server)->spec().name, " is still indexing the project."));
    const auto diagnosis = (*server)->diagnose(*old_document, limit);
    if (!diagnosis) return fail(diagnosis.error());
    before = diagnosis->diagnostics;
  } else {
    return fail(old_document.error());
  }
  const auto document = (*server)->prepare(*file, limit);
  if (!document) return fail(document.error());
  auto now = (*server)->diagnose(*document, limit);
  if (!now) return fail(now.error());
  // Each old diagnostic cancels one new one.
  std::erase_if(now->diagnostics, [&](const Diagnostic& each) {
    if (each.severity > Diagnostic::Severity::kWarning) return true;
    const auto known =
        std::ranges::find_if(before, [&](const Diagnostic& old) { return same_finding(old, each); });
    if (known == before.end()) return false;
    before.erase(known);
    return true;
  });
  FileDiagnostics found{.path = relative(*file)};
  found.info.server = (*server)->spec().name;
  found.diagnostics = place_diagnostics(found.path, *now, (*server)->unit());
  return found;
}

Expected<FoundSymbols> Questions::file_symbols(const std::string& query, const std::string& path,
                                               const WaitLimit& limit) {
  return with_restart([&]() -> Expected<FoundSymbols> {
    auto asked = open(path, limit);
    if (!asked) return fail(asked.error());
    Expected<std::vector<SymbolEntry>> entries = std::vector<SymbolEntry>();
    if (query.empty()) {
      entries = symbols_of(*asked->server, asked->document, limit);
    } else {
      if (!asked->server->can("workspaceSymbolProvider"))
        return fail(ErrorCode::kUnavailable,
                    concat(asked->server->spec().name, " does not support project-wide symbol search."),
                    "Omit query to list the file's symbols, or use grep.");
      const auto answer = asked->server->ask("workspace/symbol", JsonObject{{"query", query}}, limit);
      if (!answer) return fail(answer.error());
      entries = read_symbols(*answer);
    }
    if (!entries) return fail(entries.error());
    // Symbols of libraries and of hidden files are dropped.
    std::erase_if(*entries, [&](const SymbolEntry& each) {
      return !each.path.empty() && (relative(each.path).starts_with('/') || is_hidden(each.path));
    });
    FoundSymbols found{.info = std::move(asked->info)};
    finish(found.info, *asked->server);
    found.total = entries->size();
    if (entries->size() > options_.most_spots) entries->resize(options_.most_spots);
    for (SymbolEntry& entry : *entries) {
      const std::string file = entry.path.empty() ? asked->document.path : entry.path;
      Spot spot = spot_of({file, entry.selection}, asked->server->unit());
      spot.symbol = entry.container;
      found.symbols.push_back({std::move(spot), std::move(entry)});
    }
    return found;
  });
}

// One file for each server with files below the directory, most files first.
std::vector<std::string> Questions::sample_files(const std::string& directory, const WaitLimit& limit) const {
  constexpr std::size_t kMostServers = 3;
  std::vector<std::pair<std::size_t, std::string>> found;
  std::vector<std::string> languages;  // only the best server of each language is used
  for (const ServerSpec& spec : options_.servers.specs()) {
    if (!spec.enabled || spec.languages.empty() ||
        std::ranges::find(languages, spec.languages.front()) != languages.end() ||
        !find_server_program(spec, options_.servers.workspace(), options_.servers.workspace().path()))
      continue;
    languages.push_back(spec.languages.front());
    search::FindQuery query{.globs = spec.globs(), .path = directory};
    query.details = false;
    const auto files =
        search::find_files(options_.servers.workspace(), query, [&] { return limit.is_over(); });
    if (!files) continue;
    const auto served = std::ranges::find_if(
        files->entries, [&](const search::FoundEntry& entry) { return spec.serves(entry.path); });
    if (served != files->entries.end()) found.emplace_back(files->total, served->path);
  }
  std::ranges::stable_sort(found, std::greater<>(), &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> paths;
  for (auto& [count, path] : found)
    if (paths.size() < kMostServers) paths.push_back(std::move(path));
  return paths;
}

Expected<FoundSymbols> Questions::symbols(const std::string& query, const std::string& path,
                                          const WaitLimit& limit) {
  if (const auto directory = options_.servers.workspace().open_directory(path); !directory)
    return file_symbols(query, path, limit);
  if (query.empty())
    return fail(ErrorCode::kInvalidArgument, "`query` or the `path` of a file is required.",
                "Pass query, a name or part of one, or path, the file whose symbols to list.");
  const std::vector<std::string> examples = sample_files(path, limit);
  if (examples.empty())
    return fail(ErrorCode::kUnavailable, "No language server is installed for the files here.",
                "Run `helve lsp status` to see the supported servers, or use grep.",
                JsonObject{{"state", "unavailable"}});
  Expected<FoundSymbols> all = FoundSymbols();
  std::optional<Error> failed;
  std::size_t answered = 0;
  for (const std::string& example : examples) {
    auto found = file_symbols(query, example, limit);
    if (!found) {
      failed = found.error();
      all->info.notes.push_back(found.error().message);
      continue;
    }
    ++answered;
    all->info.server += concat(all->info.server.empty() ? "" : ", ", found->info.server);
    all->info.partial = all->info.partial || found->info.partial;
    std::ranges::move(found->info.notes, std::back_inserter(all->info.notes));
    std::ranges::move(found->symbols, std::back_inserter(all->symbols));
    all->total += found->total;
  }
  if (answered == 0) return fail(*std::move(failed));
  return all;
}

namespace {

// The file's indentation, which the request requires.
Json format_options(std::string_view text) {
  std::size_t tabs = 0;
  std::size_t spaces = 0;
  std::size_t narrowest = 8;
  const LineTable lines(text);
  for (std::size_t i = 0; i < std::min<std::size_t>(lines.size(), 2000); ++i) {
    const std::string_view line = lines.line(i);
    if (line.starts_with('\t')) ++tabs;
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string_view::npos || indent < 2) continue;
    ++spaces;
    narrowest = std::min(narrowest, indent);
  }
  const bool by_tabs = tabs > spaces;
  return JsonObject{{"tabSize", spaces == 0 ? 4 : static_cast<int>(narrowest)},
                    {"insertSpaces", !by_tabs},
                    {"trimTrailingWhitespace", true},
                    {"insertFinalNewline", true}};
}

}  // namespace

Expected<PlannedEdits> Questions::format(const std::string& path, const WaitLimit& limit) {
  return with_restart([&]() -> Expected<PlannedEdits> {
    auto asked = open(path, limit);
    if (!asked) return fail(asked.error());
    Server& server = *asked->server;
    if (!server.can("documentFormattingProvider"))
      return fail(ErrorCode::kUnavailable, concat(server.spec().name, " cannot format files."),
                  "Use format_code.");
    const auto answer = server.ask("textDocument/formatting",
                                   JsonObject{{"textDocument", JsonObject{{"uri", asked->document.uri}}},
                                              {"options", format_options(*asked->document.text)}},
                                   limit);
    if (!answer) return fail(answer.error());
    PlannedEdits planned{.info = std::move(asked->info), .unit = server.unit()};
    finish(planned.info, server);
    if (auto edits = read_text_edits(*answer); !edits.empty())
      planned.files.push_back({asked->document.path, std::move(edits)});
    planned.texts[asked->document.path] = asked->document.text;
    return planned;
  });
}

}  // namespace helve::lsp
