// Positions in a text, with columns in any of the protocol's units.
#pragma once

#include <compare>
#include <cstddef>
#include <string_view>
#include <vector>

namespace helve::lsp {

enum class ColumnUnit { kUtf8, kUtf16, kUtf32 };

// "utf-8", "utf-16", "utf-32"
[[nodiscard]] std::string_view to_string(ColumnUnit unit);

// Both count from 0.
struct Position {
  std::size_t line = 0;
  std::size_t character = 0;
  auto operator<=>(const Position&) const = default;
};

struct Range {
  Position start;
  Position end;
  auto operator<=>(const Range&) const = default;
};

// The byte at which a column of a UTF-8 line begins. A column inside a character maps to its start, and one
// past the end to the end.
[[nodiscard]] std::size_t byte_of_column(std::string_view line, std::size_t column, ColumnUnit unit);
[[nodiscard]] std::size_t column_of_byte(std::string_view line, std::size_t byte, ColumnUnit unit);

// The lines of a text, which must outlive the table.
class LineTable {
 public:
  explicit LineTable(std::string_view text);

  // The number of line breaks plus one.
  [[nodiscard]] std::size_t size() const { return starts_.size(); }
  // Without the line break; empty past the last line.
  [[nodiscard]] std::string_view line(std::size_t number) const;
  // Clamped to the text.
  [[nodiscard]] std::size_t offset_of(const Position& position, ColumnUnit unit) const;
  [[nodiscard]] Position position_of(std::size_t offset, ColumnUnit unit) const;
  [[nodiscard]] Position convert(const Position& position, ColumnUnit from, ColumnUnit to) const;
  [[nodiscard]] Range convert(const Range& range, ColumnUnit from, ColumnUnit to) const {
    return {convert(range.start, from, to), convert(range.end, from, to)};
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

}  // namespace helve::lsp
