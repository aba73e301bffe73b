// Formats the structure of a file or directory within a size limit.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbol.h"
#include "code/symbol_search.h"

namespace helve::code {

struct Outline {
  std::string text = {};      // `start-end signature` lines, members indented
  std::string left_out = {};  // what was omitted to fit: "fields and local functions"
};

// At most `max_bytes`. A longer outline is made shallower, down to counts; it is never cut off.
[[nodiscard]] Outline make_outline(const FileAnalysis& analysis, std::string_view source,
                                   std::size_t max_bytes);

// "3 regions could not be parsed (lines 4, 17, 30)"; empty if there are none.
[[nodiscard]] std::string describe_errors(const FileAnalysis& analysis);

// "42" or "42-50"
[[nodiscard]] std::string line_range(std::uint32_t first, std::uint32_t last);

// The most important symbols of a directory, grouped by file.
struct DirectoryMap {
  std::string text = {};
  std::size_t symbols = 0;  // shown
  std::size_t files = 0;
};

// `ranked` has the best symbol first; `signature` formats one of them. Files are sorted by their best symbol,
// symbols by line.
[[nodiscard]] DirectoryMap draw_map(const std::vector<FoundSymbol>& ranked, const std::string& prefix,
                                    const std::function<std::string(const FoundSymbol&)>& signature,
                                    std::size_t max_bytes);

}  // namespace helve::code
