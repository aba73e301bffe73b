#include "terminal/screen.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace helve::terminal {
namespace {

// The written bytes, with readable escapes.
class ScreenTest : public ::testing::Test {
 protected:
  Screen make(Screen::Look look = {.colours = false}, Size size = {20, 10}) {
    return {[this](std::string_view bytes) { out_ += bytes; }, look, size};
  }
  std::string taken() {
    std::string text = replace_all(replace_all(out_, "\x1b[?25l", ""), "\x1b[?25h", "");
    text = replace_all(replace_all(replace_all(text, "\x1b", "ESC"), "\r\n", "\n"), "\r", "CR");
    out_.clear();
    return text;
  }
  std::string out_;
};

TEST_F(ScreenTest, PrintsAboveTheLiveArea) {
  Screen screen = make();
  screen.set_live({.rows = {Line("status"), Line("> ab")}, .cursor_row = 1, .cursor_column = 4});
  EXPECT_EQ(taken(), "status\n> abCRESC[4C");
  screen.print(Line("done"));
  EXPECT_EQ(taken(), "CRESC[1AESC[Jdone\nstatus\n> abCRESC[4C");
  screen.set_live({});
  EXPECT_EQ(taken(), "CRESC[1AESC[J");
  screen.print(Line("more"));
  EXPECT_EQ(taken(), "more\n");
}

TEST_F(ScreenTest, PlacesTheCursorInAnyRow) {
  Screen screen = make();
  screen.set_live({.rows = {Line("> a"), Line("foot"), Line("er")}, .cursor_row = 0, .cursor_column = 3});
  EXPECT_EQ(taken(), "> a\nfoot\nerESC[2ACRESC[3C");
  screen.print(Line("x"));
  EXPECT_EQ(taken(), "CRESC[Jx\n> a\nfoot\nerESC[2ACRESC[3C");
}

TEST_F(ScreenTest, WritesNothingWhenNothingChanged) {
  Screen screen = make();
  const LiveArea area{.rows = {Line("a")}};
  screen.set_live(area);
  static_cast<void>(taken());
  screen.set_live(area);
  screen.resize({20, 10});
  EXPECT_EQ(taken(), "");
}

TEST_F(ScreenTest, HandlesRowsWrappedByANarrowerTerminal) {
  Screen screen = make();
  screen.set_live({.rows = {Line("0123456789abcdef"), Line("> x")}, .cursor_row = 1, .cursor_column = 3});
  static_cast<void>(taken());
  screen.resize({10, 10});
  EXPECT_EQ(taken(), "CRESC[2AESC[J01234567…\n> xCRESC[3C");
  screen.resize({40, 10});
  EXPECT_EQ(taken(), "CRESC[1AESC[J0123456789abcdef\n> xCRESC[3C");
}

TEST_F(ScreenTest, FitsTheLiveAreaIntoTheTerminal) {
  Screen screen = make({.colours = false}, {20, 3});
  screen.set_live({.rows = {Line("1"), Line("2"), Line("3"), Line("4")}, .cursor_row = 3});
  EXPECT_EQ(taken(), "3\n4CR");
}

TEST_F(ScreenTest, WrapsAndColours) {
  Screen screen = make({.colours = true}, {10, 10});
  Line line("red", {Colour::kRed});
  line.add(" and more words");
  screen.print(line);
  EXPECT_EQ(taken(), "ESC[31mredESC[0m and\nmore\nwords\n");
}

TEST_F(ScreenTest, PrintsOnlyLinesIfTheCursorCannotMove) {
  Screen screen = make({.colours = false, .moves = false});
  screen.set_live({.rows = {Line("spinner")}});
  screen.print(Line("line"));
  screen.clear();
  EXPECT_EQ(taken(), "line\n");
}

}  // namespace
}  // namespace helve::terminal
