#include "lsp/position.h"

#include <algorithm>

#include "base/utf8.h"

namespace helve::lsp {
namespace {

// The size of one character in bytes and columns.
struct Step {
  std::size_t bytes;
  std::size_t columns;
};

Step step_at(std::string_view rest, ColumnUnit unit) {
  const std::size_t length = std::max<std::size_t>(utf8_character_length(rest), 1);
  switch (unit) {
    case ColumnUnit::kUtf8: return {length, length};
    case ColumnUnit::kUtf16: return {length, length == 4 ? 2U : 1U};
    case ColumnUnit::kUtf32: return {length, 1};
  }
  return {length, 1};
}

}  // namespace

std::string_view to_string(ColumnUnit unit) {
  switch (unit) {
    case ColumnUnit::kUtf8: return "utf-8";
    case ColumnUnit::kUtf16: return "utf-16";
    case ColumnUnit::kUtf32: return "utf-32";
  }
  return "utf-16";
}

std::size_t byte_of_column(std::string_view line, std::size_t column, ColumnUnit unit) {
  std::size_t byte = 0;
  std::size_t at = 0;
  while (byte < line.size() && at < column) {
    const Step step = step_at(line.substr(byte), unit);
    if (at + step.columns > column) break;
    byte += step.bytes;
    at += step.columns;
  }
  return byte;
}

std::size_t column_of_byte(std::string_view line, std::size_t byte, ColumnUnit unit) {
  std::size_t column = 0;
  for (std::size_t at = 0; at < std::min(byte, line.size());) {
    const Step step = step_at(line.substr(at), unit);
    if (at + step.bytes > byte) break;
    at += step.bytes;
    column += step.columns;
  }
  return column;
}

LineTable::LineTable(std::string_view text) : text_(text), starts_{0} {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' || (text[i] == '\r' && !(i + 1 < text.size() && text[i + 1] == '\n')))
      starts_.push_back(i + 1);
  }
}

std::string_view LineTable::line(std::size_t number) const {
  if (number >= starts_.size()) return {};
  const std::size_t end = number + 1 < starts_.size() ? starts_[number + 1] : text_.size();
  std::string_view line = text_.substr(starts_[number], end - starts_[number]);
  while (number + 1 < starts_.size() && !line.empty() && (line.back() == '\n' || line.back() == '\r'))
    line.remove_suffix(1);
  return line;
}

std::size_t LineTable::offset_of(const Position& position, ColumnUnit unit) const {
  if (position.line >= starts_.size()) return text_.size();
  return starts_[position.line] + byte_of_column(line(position.line), position.character, unit);
}

Position LineTable::position_of(std::size_t offset, ColumnUnit unit) const {
  const auto after = std::ranges::upper_bound(starts_, offset);
  const auto number = static_cast<std::size_t>(after - starts_.begin()) - 1;
  return {number, column_of_byte(line(number), offset - starts_[number], unit)};
}

Position LineTable::convert(const Position& position, ColumnUnit from, ColumnUnit to) const {
  if (from == to) return position;
  const std::string_view text = line(position.line);
  return {position.line, column_of_byte(text, byte_of_column(text, position.character, from), to)};
}

}  // namespace helve::lsp
