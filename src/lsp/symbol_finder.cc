#include "lsp/symbol_finder.h"

#include <algorithm>

#include "base/strings.h"

namespace helve::lsp {
namespace {

constexpr std::size_t kMostFiles = 12;  // in which definitions are looked for

bool is_separator(char c) { return c == '/' || c == '.' || c == ':' || c == '#'; }

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Only letters, digits and _ stand for themselves everywhere in a regular expression.
std::string as_pattern(std::string_view word) {
  std::string pattern = "\\b";
  for (const char c : word) {
    pattern += in_word(c) ? concat(c) : concat('\\', c);
  }
  return pattern + "\\b";
}

std::size_t find_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]))) return at;
  }
  return std::string_view::npos;
}

// TypeScript 7 lists the names that a file imports as its symbols. They are nothing but a name, and defined
// elsewhere.
bool is_imported(Server& server, const Document& document, const SymbolEntry& entry,
                 const Patience& patience) {
  if (entry.kind != "variable" || entry.range != entry.selection) return false;
  const auto answer = server.ask("textDocument/definition",
                                 JsonObject{{"textDocument", JsonObject{{"uri", document.uri}}},
                                            {"position", to_json(entry.selection.start)}},
                                 patience);
  if (!answer) return false;
  const std::vector<Location> places = read_locations(*answer);
  return !places.empty() && std::ranges::none_of(places, [&](const Location& place) {
    return place.path == document.path && place.range.start.line == entry.selection.start.line;
  });
}

void add_definitions(Server& server, const Document& document, const std::vector<std::string>& parts,
                     const Patience& patience, std::vector<SymbolPlace>& places) {
  const auto symbols = symbols_of(server, document, patience);
  if (!symbols) return;
  const LineTable lines(*document.text);
  for (const SymbolEntry& entry : *symbols) {
    if (!names_symbol(entry, parts) || is_imported(server, document, entry, patience)) continue;
    // A flat list gives the whole symbol; its name stands somewhere on the first lines of that.
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
  // What follows a parenthesis are parameters, unless it is the receiver in front.
  std::string_view name = entry.name;
  if (const std::size_t open = name.find('(', 1); open != std::string_view::npos && !name.starts_with('('))
    name = name.substr(0, open);
  std::vector<std::string> full = split_symbol(entry.container);
  for (std::string& part : split_symbol(name)) full.push_back(std::move(part));
  return parts.size() <= full.size() && std::equal(parts.rbegin(), parts.rend(), full.rbegin());
}

Expected<std::vector<SymbolEntry>> symbols_of(Server& server, const Document& document,
                                              const Patience& patience) {
  const auto answer = server.ask("textDocument/documentSymbol",
                                 JsonObject{{"textDocument", JsonObject{{"uri", document.uri}}}}, patience);
  if (!answer) return fail(answer.error());
  return read_symbols(*answer);
}

SymbolFinder make_grep_symbol_finder(Server& server, const search::EngineChoice& engine, Logger& logger) {
  return [&server, engine, &logger](const std::string& symbol, const std::string& path,
                                    const Patience& patience) -> Expected<std::vector<SymbolPlace>> {
    const std::vector<std::string> parts = split_symbol(symbol);
    if (parts.empty())
      return fail(ErrorCode::kInvalidArgument, concat("\"", symbol, "\" names no symbol."),
                  "Write a name such as parse, or Class/method.");
    std::vector<SymbolPlace> places;
    auto document = server.prepare(path, patience);
    if (!document) return fail(document.error());
    static_cast<void>(server.wait_ready(patience));
    add_definitions(server, *document, parts, patience, places);
    if (!places.empty()) return places;

    search::GrepQuery query{.pattern = as_pattern(parts.back())};
    query.file_globs = server.spec().globs();
    query.wanted = search::GrepQuery::Wanted::kCounts;
    query.most_matches = 200;
    const auto found =
        search::grep(server.workspace(), query, engine, logger, [&] { return patience.is_over(); });
    if (!found) return fail(found.error());
    std::size_t looked = 0;
    for (const search::FoundFile& file : found->files) {
      if (!places.empty() && ++looked > kMostFiles) break;
      if (patience.is_over() || looked > 4 * kMostFiles) break;
      const std::string absolute = concat(server.workspace().path(), "/", file.path);
      if (absolute == document->path) continue;
      const auto other = server.prepare(absolute, patience);
      if (other) add_definitions(server, *other, parts, patience, places);
    }
    if (!places.empty()) return places;
    // Not defined in the workspace: where the file mentions it, the server may know more.
    const std::size_t mention = find_word(*document->text, parts.back());
    if (mention != std::string::npos && parts.size() == 1)
      return std::vector<SymbolPlace>{
          {document->path, LineTable(*document->text).position_of(mention, ColumnUnit::kUtf16), symbol}};
    return fail(ErrorCode::kNotFound, concat("There is no definition of ", symbol, " in the workspace."),
                "Use grep to look for the name, or give line and character.");
  };
}

}  // namespace helve::lsp
