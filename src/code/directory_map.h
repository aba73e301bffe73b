// The most important symbols of a directory, grouped by file, as many as fit.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "code/symbol_search.h"

namespace helve::code {

struct DirectoryMap {
  std::string text = {};
  std::size_t symbols = 0;  // that are shown
  std::size_t files = 0;
};

// `ranked` is the best first; `signature` gives the line for one of them. Files come in the order of their
// best symbol, symbols in the order of their lines.
[[nodiscard]] DirectoryMap draw_map(const std::vector<FoundSymbol>& ranked, const std::string& prefix,
                                    const std::function<std::string(const FoundSymbol&)>& signature,
                                    std::size_t max_bytes);

}  // namespace helve::code
