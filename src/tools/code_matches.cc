#include "tools/code_matches.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::tools {
namespace {

constexpr std::size_t kWithCode = 5;
constexpr std::uint32_t kMostLines = 8;

std::uint32_t last_shown(const code::IndexedSymbol& symbol) {
  return std::min(symbol.end_line, std::max(symbol.line, symbol.name_line) + kMostLines - 1);
}

// Shows two lines before the definition for its comment or attributes, and some lines of code after it.
std::string code_of(const code::FoundSymbol& found, toolkit::SourceReader& reader) {
  const code::IndexedSymbol& symbol = *found.symbol;
  const std::uint32_t first = symbol.line > 2 ? symbol.line - 2 : 1;
  return reader.numbered(found, first, last_shown(symbol));
}

}  // namespace

CodeMatches show_symbols(const std::vector<code::FoundSymbol>& found, const std::string& prefix,
                         toolkit::SourceReader& reader) {
  CodeMatches matches;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const code::FoundSymbol& one = found[i];
    const code::IndexedSymbol& symbol = *one.symbol;
    const std::string path = to_valid_utf8(concat(prefix, one.file->path));
    const std::string whole_name =
        to_valid_utf8(concat(one.container(), one.container().empty() ? "" : ".", one.name()));
    const std::string signature = reader.signature(one);
    const std::string code = i < kWithCode ? code_of(one, reader) : std::string();
    matches.text += concat(path, ":", symbol.name_line, ":", symbol.column, " ", code::to_string(symbol.kind),
                           " ", whole_name, symbol.declaration != 0 ? " (declaration)" : "", ", lines ",
                           symbol.line, "-", symbol.end_line, "\n");
    if (code.empty())
      matches.text += concat("  ", signature, "\n");
    else
      for (const std::string_view line : split(std::string_view(code).substr(0, code.size() - 1), '\n'))
        matches.text += concat("  ", line, "\n");
    if (const std::uint32_t last = last_shown(symbol); !code.empty() && last < symbol.end_line)
      matches.text += concat("  … ", count_of(symbol.end_line - last, "more line"), "\n");
    JsonObject json{{"file", path},
                    {"line", symbol.name_line},
                    {"column", symbol.column},
                    {"endLine", symbol.end_line},
                    {"name", to_valid_utf8(one.name())},
                    {"kind", code::to_string(symbol.kind)},
                    {"match", code::to_string(one.fit.fit)},
                    {"code", signature}};
    if (!one.container().empty()) json.append("container", to_valid_utf8(one.container()));
    if (!code.empty()) json.append("context", code);
    matches.json.emplace_back(std::move(json));
  }
  return matches;
}

std::vector<FoundPath> rank_paths(const std::vector<std::string>& paths, const std::string& query,
                                  std::size_t most) {
  const code::NameQuery names = code::NameQuery::of_file(query.substr(query.rfind('/') + 1));
  const std::string lower_query = to_lower(query);
  std::vector<FoundPath> found;
  for (const std::string& path : paths) {
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    auto fit = names.match(name, "");
    const std::string_view stem = name.substr(0, name.find('.', 1));
    if (const auto by_stem = names.match(stem, ""); by_stem && (!fit || by_stem->score - 20 > fit->score))
      fit = code::NameScore{by_stem->fit, by_stem->score - 20};
    // Whole path components match: core/engines
    if (query.find('/') != std::string::npos && to_lower(path).find(lower_query) == std::string::npos)
      fit.reset();
    if (fit) found.push_back({path, *fit});
  }
  std::ranges::sort(found, [](const FoundPath& left, const FoundPath& right) {
    if (left.fit.score != right.fit.score) return left.fit.score > right.fit.score;
    return std::pair(left.path.size(), left.path) < std::pair(right.path.size(), right.path);
  });
  if (found.size() > most) found.resize(most);
  return found;
}

CodeMatches show_lines(const search::GrepAnswer& answer) {
  CodeMatches matches;
  for (const search::FoundFile& file : answer.files)
    for (const search::FoundLine& line : file.lines) {
      if (!line.is_match()) continue;
      const std::string path = to_valid_utf8(file.path);
      const std::string text = shortened(trim(to_valid_utf8(line.text)), 160);
      matches.text += concat("  ", path, ":", line.number, ": ", text, "\n");
      matches.json.emplace_back(JsonObject{{"file", path},
                                           {"line", line.number},
                                           {"column", line.matches.front().begin + 1},
                                           {"kind", "text"},
                                           {"match", "text"},
                                           {"code", text}});
    }
  return matches;
}

}  // namespace helve::tools
