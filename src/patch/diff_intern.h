// Maps equal lines to equal numbers, so that they can be compared as integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace helve::patch {

// Numbers count up from 0 in order of first appearance. The lines must outlive the interner.
class LineInterner {
 public:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

  explicit LineInterner(std::size_t expected_lines);

  // The line's number; a new one for a new line.
  std::uint32_t intern(std::string_view line);
  // The line's number, kNone when it was never interned.
  [[nodiscard]] std::uint32_t find(std::string_view line) const;
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(lines_.size()); }

 private:
  struct Line {
    std::string_view text;
    std::uint64_t hash;
  };
  // The upper half of the hash avoids most accesses to lines_.
  struct Slot {
    std::uint32_t tag;
    std::uint32_t number;
  };

  [[nodiscard]] std::size_t probe(std::string_view line, std::uint64_t hash) const;
  void grow();

  std::vector<Line> lines_;
  std::vector<Slot> slots_;
};

[[nodiscard]] std::size_t count_line_breaks(std::string_view text);

// The offset of each line, and the text's size at the end: lines + 1 entries.
[[nodiscard]] std::vector<std::size_t> line_starts(std::string_view text);

}  // namespace helve::patch
