// What code_query shows of each place it found: where it is, what it is, and the code.
#pragma once

#include <string>
#include <vector>

#include "core/code_report.h"
#include "helve/json.h"
#include "search/grep.h"

namespace helve {

struct CodeMatches {
  std::string text = {};
  JsonArray json = {};
};

// The first ones with some lines of code, the others with their heads.
[[nodiscard]] CodeMatches show_symbols(const std::vector<code::FoundSymbol>& found, const std::string& prefix,
                                       SourceReader& reader);

// Files by their names, the best first.
struct FoundPath {
  std::string path;
  code::NameScore fit;
};
[[nodiscard]] std::vector<FoundPath> rank_paths(const std::vector<std::string>& paths,
                                                const std::string& query, std::size_t most);

// `path:line: text` lines of a search of contents.
[[nodiscard]] CodeMatches show_lines(const search::GrepAnswer& answer);

}  // namespace helve
