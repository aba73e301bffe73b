// Styled text for a terminal: escaped, measured in columns, wrapped and cut.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace helve::terminal {

enum class Colour { kNone, kBold, kDim, kRed, kGreen, kYellow, kBlue, kCyan };

struct Style {
  Colour colour = Colour::kNone;
  bool bold = false;
  bool italic = false;
  bool underline = false;
  bool reverse = false;

  bool operator==(const Style&) const = default;
};

// A piece of one line. Its text cannot control the terminal: control characters become visible, and line
// breaks and tabs become spaces.
class Span {
 public:
  explicit Span(std::string_view raw, Style style = {});

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const Style& style() const { return style_; }

  bool operator==(const Span&) const = default;

 private:
  std::string text_;
  Style style_;
};

// A line before wrapping.
struct Line {
  std::vector<Span> spans = {};
  std::size_t hang = 0;           // indent of the wrapped rows after the first
  std::vector<Span> margin = {};  // at the start of every wrapped row

  Line() = default;
  explicit Line(std::string_view raw, Style style = {}) { add(raw, style); }
  Line& add(std::string_view raw, Style style = {});
  Line& add(const Line& other);

  [[nodiscard]] std::size_t width() const;
  [[nodiscard]] std::string plain() const;  // without styles
  bool operator==(const Line&) const = default;
};

// With escape sequences, or as plain text without `colours`.
[[nodiscard]] std::string to_text(const Line& line, bool colours);

// Rows of at most `columns`, broken at spaces if possible; at least one row.
[[nodiscard]] std::vector<Line> wrap_line(const Line& line, std::size_t columns);
// At most `columns`, with "…" at a cut.
[[nodiscard]] Line cut_line(const Line& line, std::size_t columns);

}  // namespace helve::terminal
