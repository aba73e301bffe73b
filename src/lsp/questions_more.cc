// Diagnostics and lists of symbols.
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

// tsserver's own columns are UTF-16 as all of the server's are.
bool same_finding(const Diagnostic& one, const Diagnostic& other) {
  return one.severity == other.severity && one.code == other.code && one.message == other.message;
}

}  // namespace

Expected<FileDiagnostics> Questions::diagnostics(const std::string& path, const Patience& patience) {
  return with_restart([&]() -> Expected<FileDiagnostics> {
    auto asked = open(path, patience);
    if (!asked) return fail(asked.error());
    const auto diagnosis = asked->server->diagnose(asked->document, patience);
    if (!diagnosis) return fail(diagnosis.error());
    FileDiagnostics found{.told = std::move(asked->told), .path = relative(asked->document.path)};
    finish(found.told, *asked->server);
    found.diagnostics = place_diagnostics(found.path, *diagnosis, asked->server->unit());
    return found;
  });
}

Expected<FileDiagnostics> Questions::new_diagnostics(const std::string& path, const std::string& old_text,
                                                     const Patience& patience) {
  const auto file = absolute(path);
  if (!file) return fail(file.error());
  const auto server = options_.servers.server_for(*file, patience);
  if (!server) return fail(server.error());
  // First as it was: what is found then is nobody's news. A server that already knew it answers at once.
  std::vector<Diagnostic> before;
  if (const auto old_document = (*server)->prepare_as({.path = *file, .text = old_text}, patience)) {
    if (!(*server)->wait_ready(patience))
      return fail(ErrorCode::kTimeout, concat((*server)->spec().name, " is still reading the project."));
    const auto diagnosis = (*server)->diagnose(*old_document, patience);
    if (!diagnosis) return fail(diagnosis.error());
    before = diagnosis->diagnostics;
  } else {
    return fail(old_document.error());
  }
  const auto document = (*server)->prepare(*file, patience);
  if (!document) return fail(document.error());
  auto now = (*server)->diagnose(*document, patience);
  if (!now) return fail(now.error());
  // Lines move with an edit, so places do not count; how often something is found does.
  std::erase_if(now->diagnostics, [&](const Diagnostic& each) {
    if (each.severity > Diagnostic::Severity::kWarning) return true;
    const auto known =
        std::ranges::find_if(before, [&](const Diagnostic& old) { return same_finding(old, each); });
    if (known == before.end()) return false;
    before.erase(known);
    return true;
  });
  FileDiagnostics found{.path = relative(*file)};
  found.told.server = (*server)->spec().name;
  found.diagnostics = place_diagnostics(found.path, *now, (*server)->unit());
  return found;
}

Expected<FoundSymbols> Questions::file_symbols(const std::string& query, const std::string& path,
                                               const Patience& patience) {
  return with_restart([&]() -> Expected<FoundSymbols> {
    auto asked = open(path, patience);
    if (!asked) return fail(asked.error());
    Expected<std::vector<SymbolEntry>> entries = std::vector<SymbolEntry>();
    if (query.empty()) {
      entries = symbols_of(*asked->server, asked->document, patience);
    } else {
      if (!asked->server->can("workspaceSymbolProvider"))
        return fail(ErrorCode::kUnavailable,
                    concat(asked->server->spec().name, " cannot look for symbols in a whole project."),
                    "Leave query out to get the symbols of the file, or use grep.");
      const auto answer = asked->server->ask("workspace/symbol", JsonObject{{"query", query}}, patience);
      if (!answer) return fail(answer.error());
      entries = read_symbols(*answer);
    }
    if (!entries) return fail(entries.error());
    // Libraries are full of symbols, too.
    std::erase_if(*entries, [&](const SymbolEntry& each) {
      return !each.path.empty() && (relative(each.path).starts_with('/') || is_hidden(each.path));
    });
    FoundSymbols found{.told = std::move(asked->told)};
    finish(found.told, *asked->server);
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

// One file for each server that has something to do below the directory, those with most files first.
std::vector<std::string> Questions::examples_below(const std::string& directory,
                                                   const Patience& patience) const {
  constexpr std::size_t kMostServers = 3;
  std::vector<std::pair<std::size_t, std::string>> found;
  std::vector<std::string> languages;  // each by its best server only
  for (const ServerSpec& spec : options_.servers.specs()) {
    if (!spec.enabled || spec.languages.empty() ||
        std::ranges::find(languages, spec.languages.front()) != languages.end() ||
        !find_server_program(spec, options_.servers.workspace(), options_.servers.workspace().path()))
      continue;
    languages.push_back(spec.languages.front());
    search::FindQuery query{.globs = spec.globs(), .path = directory};
    query.details = false;
    const auto files =
        search::find_files(options_.servers.workspace(), query, [&] { return patience.is_over(); });
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
                                          const Patience& patience) {
  if (const auto directory = options_.servers.workspace().open_directory(path); !directory)
    return file_symbols(query, path, patience);
  if (query.empty())
    return fail(ErrorCode::kInvalidArgument, "Neither a query nor a file is given.",
                "Give query, a name or a part of one; or path, the file whose symbols you want.");
  const std::vector<std::string> examples = examples_below(path, patience);
  if (examples.empty())
    return fail(ErrorCode::kUnavailable, "There is no file here for which a language server is installed.",
                "`helve lsp status` shows what there is. Until then use grep.",
                JsonObject{{"state", "unavailable"}});
  Expected<FoundSymbols> all = FoundSymbols();
  std::optional<Error> failed;
  std::size_t answered = 0;
  for (const std::string& example : examples) {
    auto found = file_symbols(query, example, patience);
    if (!found) {
      failed = found.error();
      all->told.notes.push_back(found.error().message);
      continue;
    }
    ++answered;
    all->told.server += concat(all->told.server.empty() ? "" : ", ", found->told.server);
    all->told.partial = all->told.partial || found->told.partial;
    std::ranges::move(found->told.notes, std::back_inserter(all->told.notes));
    std::ranges::move(found->symbols, std::back_inserter(all->symbols));
    all->total += found->total;
  }
  if (answered == 0) return fail(*std::move(failed));
  return all;
}

}  // namespace helve::lsp
