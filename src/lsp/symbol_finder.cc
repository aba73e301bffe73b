#include "lsp/symbol_finder.h"

#include <algorithm>

#include "base/strings.h"
#include "lsp/mentions.h"

namespace helve::lsp {
namespace {

constexpr std::size_t kMostFiles = 12;  // searched for further definitions

bool is_separator(char c) { return c == '/' || c == '.' || c == ':' || c == '#'; }

std::size_t find_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_in_word(text[at - 1])) && (end == text.size() || !is_in_word(text[end]))) return at;
  }
  return std::string_view::npos;
}

// TypeScript 7 lists imported names as symbols of the file, although they are defined elsewhere.
bool is_imported(Server& server, const Document& document, const SymbolEntry& entry, const WaitLimit& limit) {
  if (entry.kind != "variable" || entry.range != entry.selection) return false;
  const auto answer = server.definitions(document.path, entry.selection.start, limit);
  if (!answer) return false;
  const std::vector<Location>& places = *answer;
  return !places.empty() && std::ranges::none_of(places, [&](const Location& place) {
    return place.path == document.path && place.range.start.line == entry.selection.start.line;
  });
}

void add_definitions(Server& server, const Document& document, const std::vector<std::string>& parts,
                     const WaitLimit& limit, std::vector<SymbolPlace>& places) {
  const auto symbols = symbols_of(server, document, limit);
  if (!symbols) return;
  const LineTable lines(*document.text);
  for (const SymbolEntry& entry : *symbols) {
    if (!names_symbol(entry, parts) || is_imported(server, document, entry, limit)) continue;
    // A flat list gives only the range of the whole symbol; its name is within the first lines.
    Position at = entry.selection.start;
    const std::size_t from = lines.offset_of(at, server.unit());
    const std::size_t name = document.text->find(parts.back(), from);
    const Position found = lines.position_of(name, ColumnUnit::kUtf16);
    at = name != std::string::npos && found.line <= at.line + 20
             ? found
             : lines.convert(at, server.unit(), ColumnUnit::kUtf16);
    places.push_back({document.path, at,
                      entry.container.empty() ? entry.name : concat(entry.container, "/", entry.name),
                      entry.kind});
  }
}

}  // namespace

std::vector<std::string> split_symbol(std::string_view symbol) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : symbol) {
    if (!is_separator(c)) {
      part += c;
    } else if (!part.empty()) {
      parts.push_back(std::exchange(part, {}));
    }
  }
  if (!part.empty()) parts.push_back(part);
  for (std::string& each : parts) {
    // "method()" and "(*T)" as gopls writes receivers
    std::erase_if(each, [](char c) { return c == '(' || c == ')' || c == '*' || c == ' '; });
  }
  std::erase(parts, "");
  return parts;
}

bool names_symbol(const SymbolEntry& entry, const std::vector<std::string>& parts) {
  // Parameters after a parenthesis are dropped, but not a receiver at the start.
  std::string_view name = entry.name;
  if (const std::size_t open = name.find('(', 1); open != std::string_view::npos && !name.starts_with('('))
    name = name.substr(0, open);
  std::vector<std::string> full = split_symbol(entry.container);
  for (std::string& part : split_symbol(name)) full.push_back(std::move(part));
  return parts.size() <= full.size() && std::equal(parts.rbegin(), parts.rend(), full.rbegin());
}

Expected<std::vector<SymbolEntry>> symbols_of(Server& server, const Document& document,
                                              const WaitLimit& limit) {
  const auto answer = server.ask("textDocument/documentSymbol",
                                 JsonObject{{"textDocument", JsonObject{{"uri", document.uri}}}}, limit);
  if (!answer) return fail(answer.error());
  return read_symbols(*answer);
}

SymbolFinder make_grep_symbol_finder(Server& server, const search::EngineChoice& engine, Logger& logger) {
  return [&server, engine, &logger](const std::string& symbol, const std::string& path,
                                    const WaitLimit& limit) -> Expected<std::vector<SymbolPlace>> {
    const std::vector<std::string> parts = split_symbol(symbol);
    if (parts.empty())
      return fail(ErrorCode::kInvalidArgument, concat("\"", symbol, "\" is not a symbol name."),
                  "Pass a name such as parse or Class/method.");
    std::vector<SymbolPlace> places;
    auto document = server.prepare(path, limit);
    if (!document) return fail(document.error());
    static_cast<void>(server.wait_ready(limit));
    add_definitions(server, *document, parts, limit, places);
    if (!places.empty()) return places;

    search::GrepQuery query{.pattern = word_pattern(parts.back())};
    query.file_globs = server.spec().globs();
    query.wanted = search::GrepQuery::Wanted::kCounts;
    query.most_matches = 200;
    const auto found =
        search::grep(server.workspace(), query, engine, logger, [&] { return limit.is_over(); });
    if (!found) return fail(found.error());
    std::size_t looked = 0;
    for (const search::FoundFile& file : found->files) {
      if (!places.empty() && ++looked > kMostFiles) break;
      if (limit.is_over() || looked > 4 * kMostFiles) break;
      const std::string absolute = concat(server.workspace().path(), "/", file.path);
      if (absolute == document->path) continue;
      const auto other = server.prepare(absolute, limit);
      if (other) add_definitions(server, *other, parts, limit, places);
    }
    if (!places.empty()) return places;
    // Not defined in the workspace: the server may resolve a mention in the file.
    const std::size_t mention = find_word(*document->text, parts.back());
    if (mention != std::string::npos && parts.size() == 1)
      return std::vector<SymbolPlace>{
          {document->path, LineTable(*document->text).position_of(mention, ColumnUnit::kUtf16), symbol}};
    return fail(ErrorCode::kNotFound, concat("The workspace does not define ", symbol, "."),
                "Search for the name with grep, or pass line and character.");
  };
}

}  // namespace helve::lsp
