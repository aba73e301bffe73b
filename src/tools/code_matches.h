// The results of code_query: place, kind and code.
#pragma once

#include <string>
#include <vector>

#include "helve/json.h"
#include "search/grep.h"
#include "toolkit/code_report.h"

namespace helve::tools {

struct CodeMatches {
  std::string text = {};
  JsonArray json = {};
};

// The first matches with some lines of code, the others with their signatures.
[[nodiscard]] CodeMatches show_symbols(const std::vector<code::FoundSymbol>& found, const std::string& prefix,
                                       toolkit::SourceReader& reader);

// Matching files, best first.
struct FoundPath {
  std::string path;
  code::NameScore fit;
};
[[nodiscard]] std::vector<FoundPath> rank_paths(const std::vector<std::string>& paths,
                                                const std::string& query, std::size_t most);

// `path:line: text` lines of a content search.
[[nodiscard]] CodeMatches show_lines(const search::GrepAnswer& answer);

}  // namespace helve::tools
