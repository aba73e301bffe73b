#include "terminal/line.h"

#include <gtest/gtest.h>

#include "terminal/width.h"

namespace helve::terminal {
namespace {

std::vector<std::string> wrapped(const Line& line, std::size_t columns) {
  std::vector<std::string> rows;
  for (const Line& row : wrap_line(line, columns)) rows.push_back(row.plain());
  return rows;
}

using Rows = std::vector<std::string>;

TEST(Width, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("häßlich"), 7u);
  EXPECT_EQ(display_width("漢字"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u);  // e and a combining accent
  EXPECT_EQ(display_width("🙂"), 2u);
  EXPECT_EQ(display_width("a\xFFz"), 3u);
}

TEST(Width, IncludesCombiningMarks) {
  const std::string text = "e\u0301x";
  EXPECT_EQ(next_character(text, 0), 3u);
  EXPECT_EQ(previous_character(text, 3), 0u);
  EXPECT_EQ(previous_character(text, 4), 3u);
  EXPECT_EQ(previous_character(text, 0), 0u);
}

TEST(Span, CannotControlTheTerminal) {
  const Line line("a\x1b[31mb\tc\nd\x07\u202E\xC2\x9B\x9B");
  EXPECT_EQ(line.plain(), "a^[[31mb    c d^G\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(to_text(line, false), line.plain());
}

TEST(Line, StylesAreWrittenOnlyWithColours) {
  Line line("plain ");
  line.add("bold", {.bold = true}).add("red", {.colour = Colour::kRed, .reverse = true});
  EXPECT_EQ(to_text(line, false), "plain boldred");
  EXPECT_EQ(to_text(line, true), "plain \x1b[1mbold\x1b[0m\x1b[31;7mred\x1b[0m");
  EXPECT_EQ(line.width(), 13u);
}

TEST(Line, WrapsAtSpaces) {
  EXPECT_EQ(wrapped(Line("one two three"), 8), (Rows{"one two", "three"}));
  EXPECT_EQ(wrapped(Line("one two three"), 7), (Rows{"one two", "three"}));
  EXPECT_EQ(wrapped(Line("one two  three"), 80), (Rows{"one two  three"}));
  EXPECT_EQ(wrapped(Line(), 10), (Rows{""}));
}

TEST(Line, CutsAWordThatIsTooLong) {
  EXPECT_EQ(wrapped(Line("abcdefgh ij"), 5), (Rows{"abcde", "fgh", "ij"}));
  EXPECT_EQ(wrapped(Line("漢字漢字"), 5), (Rows{"漢字", "漢字"}));
  EXPECT_EQ(wrapped(Line("漢"), 1), (Rows{"漢"}));  // wider than the terminal
}

TEST(Line, IndentsRowsAfterTheFirst) {
  Line line("• one two three");
  line.hang = 2;
  EXPECT_EQ(wrapped(line, 9), (Rows{"• one two", "  three"}));
  line.hang = 30;  // more than the width
  EXPECT_EQ(wrapped(line, 9), (Rows{"• one two", "three"}));
}

TEST(Line, KeepsStylesAndIndentWhenWrapped) {
  Line line("    int x; ");
  line.add("// a comment", {Colour::kDim});
  const auto rows = wrap_line(line, 16);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].plain(), "    int x; // a");
  EXPECT_EQ(rows[1].spans.front().style().colour, Colour::kDim);
}

TEST(Line, MarksACut) {
  EXPECT_EQ(cut_line(Line("abcdef"), 6).plain(), "abcdef");
  EXPECT_EQ(cut_line(Line("abcdefg"), 6).plain(), "abcde…");
  EXPECT_EQ(cut_line(Line("漢字漢字"), 6).plain(), "漢字…");
}

}  // namespace
}  // namespace helve::terminal
