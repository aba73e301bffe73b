#include "terminal/line.h"

#include <algorithm>

#include "base/strings.h"
#include "terminal/safe_text.h"
#include "terminal/width.h"

namespace helve::terminal {
namespace {

constexpr std::string_view kTab = "    ";

// One character with its combining marks.
struct Cell {
  std::string_view text;
  std::size_t width;
  std::size_t span;  // index of its span
};

std::vector<Cell> cells_of(const Line& line) {
  std::vector<Cell> cells;
  for (std::size_t span = 0; span < line.spans.size(); ++span) {
    const std::string_view text = line.spans[span].text();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = next_character(text, at);
      const std::string_view cell = text.substr(at, end - at);
      cells.push_back({cell, display_width(cell), span});
      at = end;
    }
  }
  return cells;
}

void add_cells(Line& row, const Line& from, const std::vector<Cell>& cells, std::size_t begin,
               std::size_t end) {
  while (begin < end) {
    std::string text;
    const std::size_t span = cells[begin].span;
    for (; begin < end && cells[begin].span == span; ++begin) text += cells[begin].text;
    row.add(text, from.spans[span].style());
  }
}

struct RowEnd {
  std::size_t end;   // of the visible part of the row
  std::size_t next;  // where the next row begins
};

// Where a row ends, given the width of this row and the next.
RowEnd end_of_row(const std::vector<Cell>& cells, std::size_t begin, std::size_t room,
                  std::size_t next_room) {
  const auto is_space = [&](std::size_t at) { return cells[at].text == " "; };
  std::size_t end = begin;
  std::size_t used = 0;
  std::size_t break_at = begin;  // after the last space that fits and follows a word
  bool word = false;
  while (end < cells.size() && used + cells[end].width <= room) {
    used += cells[end].width;
    word = word || !is_space(end);
    if (is_space(end++) && word) break_at = end;
  }
  if (end == begin && end < cells.size()) ++end;  // a wide character in one column
  if (end == cells.size()) return {end, end};
  if (!is_space(end) && break_at > begin) {
    // A word that does not fit into the next row either begins here.
    std::size_t width = 0;
    for (std::size_t at = break_at; at < cells.size() && !is_space(at) && width <= next_room; ++at)
      width += cells[at].width;
    if (width <= next_room) end = break_at;
  }
  std::size_t next = end;
  while (next < cells.size() && is_space(next)) ++next;
  while (end > begin && is_space(end - 1)) --end;
  return {end, next};
}

std::string codes_of(const Style& style) {
  std::string codes;
  const auto add = [&](std::string_view code) { codes += concat(codes.empty() ? "" : ";", code); };
  if (style.bold || style.colour == Colour::kBold) add("1");
  switch (style.colour) {
    case Colour::kNone:
    case Colour::kBold: break;
    case Colour::kDim: add("2"); break;
    case Colour::kRed: add("31"); break;
    case Colour::kGreen: add("32"); break;
    case Colour::kYellow: add("33"); break;
    case Colour::kBlue: add("34"); break;
    case Colour::kCyan: add("36"); break;
  }
  if (style.italic) add("3");
  if (style.underline) add("4");
  if (style.reverse) add("7");
  return codes;
}

}  // namespace

Span::Span(std::string_view raw, Style style)
    : text_(replace_all(replace_all(printable(raw), "\t", kTab), "\n", " ")), style_(style) {}

Line& Line::add(std::string_view raw, Style style) {
  if (!raw.empty()) spans.emplace_back(raw, style);
  return *this;
}

Line& Line::add(const Line& other) {
  spans.insert(spans.end(), other.spans.begin(), other.spans.end());
  return *this;
}

std::size_t Line::width() const {
  std::size_t width = 0;
  for (const Span& span : spans) width += display_width(span.text());
  return width;
}

std::string Line::plain() const {
  std::string text;
  for (const Span& span : spans) text += span.text();
  return text;
}

std::string to_text(const Line& line, bool colours) {
  if (!colours) return line.plain();
  std::string out;
  for (const Span& span : line.spans) {
    const std::string codes = codes_of(span.style());
    out += codes.empty() ? span.text() : concat("\x1b[", codes, "m", span.text(), "\x1b[0m");
  }
  return out;
}

std::vector<Line> wrap_line(const Line& line, std::size_t columns) {
  std::size_t margin = 0;
  for (const Span& span : line.margin) margin += display_width(span.text());
  columns = columns > margin ? columns - margin : 1;
  const std::vector<Cell> cells = cells_of(line);
  // A hanging indent must leave enough space for the text.
  const std::size_t hang = line.hang * 2 < columns ? line.hang : columns >= 20 ? 2 : 0;
  std::vector<Line> rows;
  std::size_t begin = 0;
  do {
    const RowEnd row_end = end_of_row(cells, begin, rows.empty() ? columns : columns - hang, columns - hang);
    Line row;
    row.spans = line.margin;
    if (!rows.empty()) row.add(std::string(hang, ' '));
    add_cells(row, line, cells, begin, row_end.end);
    rows.push_back(std::move(row));
    begin = row_end.next;
  } while (begin < cells.size());
  return rows;
}

Line cut_line(const Line& line, std::size_t columns) {
  if (line.width() <= columns) return line;
  const std::vector<Cell> cells = cells_of(line);
  std::size_t used = 0;
  std::size_t end = 0;
  while (end < cells.size() && used + cells[end].width + 1 <= columns) used += cells[end++].width;
  Line row;
  add_cells(row, line, cells, 0, end);
  if (columns > 0) row.add("…", row.spans.empty() ? Style() : row.spans.back().style());
  return row;
}

}  // namespace helve::terminal
