// Counts line breaks, and remembers sparsely how many there were before which byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace helve::process {

[[nodiscard]] std::uint64_t count_line_breaks(std::string_view bytes);

// Offset just after the `nth` line break (counting from 1) in `bytes`; npos when there are fewer.
[[nodiscard]] std::size_t after_line_break(std::string_view bytes, std::uint64_t nth);

// A mark every so many bytes. When there are too many marks, every second one goes and the distance doubles,
// so that memory stays bounded for any amount of output. One thread at a time.
class LineMarks {
 public:
  struct Mark {
    std::uint64_t offset = 0;
    std::uint64_t breaks = 0;  // before `offset`
    bool operator==(const Mark&) const = default;
  };

  void append(std::string_view bytes);
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t breaks() const { return breaks_; }

  // The last mark at or before an offset, and the last one with at most so many breaks before it.
  [[nodiscard]] Mark before_offset(std::uint64_t offset) const;
  [[nodiscard]] Mark before_break(std::uint64_t breaks) const;

 private:
  std::vector<Mark> marks_ = {Mark{}};
  std::uint64_t distance_ = std::uint64_t{64} << 10;
  std::uint64_t bytes_ = 0;
  std::uint64_t breaks_ = 0;
};

}  // namespace helve::process
