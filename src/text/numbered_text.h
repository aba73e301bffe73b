// Formats lines for a model: numbered, in UTF-8, long ones cut.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "text/text_encoding.h"
#include "text/text_lines.h"

namespace helve::text {

struct NumberedOptions {
  std::size_t first_line = 1;
  std::size_t max_lines = 2000;
  std::size_t max_line_characters = 2000;
  std::size_t max_bytes = 45'000;  // of the result; at least one line is always shown
};

struct NumberedText {
  std::string text;
  std::size_t lines = 0;
  std::size_t cut_lines = 0;
  std::size_t bytes = 0;  // of the input, that these lines are
};

// `bytes` must start at the beginning of line `first_line`.
[[nodiscard]] NumberedText number_lines(std::string_view bytes, const TextEncoding& encoding,
                                        const LineFormat& format, const NumberedOptions& options);

}  // namespace helve::text
