// The first and last part of a long output, with an exact count of the omitted middle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "helve/error.h"
#include "process/output_log.h"

namespace helve::process {

struct Excerpt {
  std::string head = {};  // cleaned, see output_text.h; everything if nothing was left out
  std::string tail = {};
  std::uint64_t head_end = 0;        // the log's bytes from here …
  std::uint64_t tail_start = 0;      // … up to here are left out
  std::uint64_t lines_left_out = 0;  // partly omitted lines count
  std::uint64_t tail_line = 1;       // number of the line where the tail begins
  bool binary = false;               // then there is no text
  [[nodiscard]] std::uint64_t bytes_left_out() const { return tail_start - head_end; }
  [[nodiscard]] bool complete() const { return !binary && head_end == tail_start; }
};

// At most `budget` bytes of text, cut at line ends if possible. Reads a bounded part of the log.
[[nodiscard]] Expected<Excerpt> head_and_tail(const OutputLog& log, std::size_t budget);
// The same for the bytes [from, to) of the log.
[[nodiscard]] Expected<Excerpt> head_and_tail(const OutputLog& log, std::size_t budget, std::uint64_t from,
                                              std::uint64_t to);

// As one text, with a line between the parts: `[… 1,234 lines (56,789 bytes) left out …]`.
[[nodiscard]] std::string to_text(const Excerpt& excerpt, const OutputLog& log);

}  // namespace helve::process
