// Lines of a file as a model reads them: numbered, in UTF-8, long ones cut.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "workspace/text_encoding.h"
#include "workspace/text_lines.h"

namespace helve {

struct NumberedOptions {
  std::size_t first_line = 1;
  std::size_t max_lines = 2000;
  std::size_t max_line_characters = 2000;
  std::size_t max_bytes = 45'000;  // of the result; at least one line is shown whatever its size
};

struct NumberedText {
  std::string text;
  std::size_t lines = 0;
  std::size_t cut_lines = 0;
};

// `bytes` begin at the start of the line `first_line`.
[[nodiscard]] NumberedText number_lines(std::string_view bytes, const TextEncoding& encoding,
                                        const LineFormat& format, const NumberedOptions& options);

}  // namespace helve
