// Styled text for a terminal: safe by construction, measured in columns, wrapped and cut to fit.
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

// A piece of one line. Whatever it is made from, its text cannot steer the terminal: control characters are
// shown, line breaks and tabs are spaces.
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

// A line before it is cut to the width of a terminal; a value.
struct Line {
  std::vector<Span> spans = {};
  std::size_t hang = 0;           // columns before the rows that follow the first, when it is wrapped
  std::vector<Span> margin = {};  // at the start of every row, when it is wrapped

  Line() = default;
  explicit Line(std::string_view raw, Style style = {}) { add(raw, style); }
  Line& add(std::string_view raw, Style style = {});
  Line& add(const Line& other);

  [[nodiscard]] std::size_t width() const;
  [[nodiscard]] std::string plain() const;  // without styles
  bool operator==(const Line&) const = default;
};

// As it is written; without colours nothing but the text.
[[nodiscard]] std::string to_text(const Line& line, bool colours);

// Rows of at most `columns`, broken at spaces where that can be; always at least one.
[[nodiscard]] std::vector<Line> wrap_line(const Line& line, std::size_t columns);
// At most `columns`, with a mark where something is left out.
[[nodiscard]] Line cut_line(const Line& line, std::size_t columns);

}  // namespace helve::terminal
