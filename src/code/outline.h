// The structure of a file as indented lines, as deep as fits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "code/symbol.h"

namespace helve::code {

struct Outline {
  std::string text = {};      // `start-end signature` lines, members indented
  std::string left_out = {};  // what a shallower outline does without: "fields and local functions"
};

// At most `max_bytes`: when it would be longer, it gets shallower, down to mere counts, and is never cut.
[[nodiscard]] Outline make_outline(const FileAnalysis& analysis, std::string_view source,
                                   std::size_t max_bytes);

// "3 regions could not be parsed (lines 4, 17, 30)"; empty when all is well.
[[nodiscard]] std::string describe_errors(const FileAnalysis& analysis);

// "42" or "42-50"
[[nodiscard]] std::string line_range(std::uint32_t first, std::uint32_t last);

}  // namespace helve::code
