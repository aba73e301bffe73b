#include "terminal/markdown.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace helve::terminal {
namespace {

// Styles as tags: <b> bold, <i> italic, <u> underlined, <c> cyan, <d> dim, <k> keyword, <s> string.
std::string tagged(const Line& line) {
  std::string out;
  for (const Span& span : line.spans) {
    std::string tags;
    if (span.style().bold) tags += 'b';
    if (span.style().italic) tags += 'i';
    if (span.style().underline) tags += 'u';
    if (span.style().colour == Colour::kCyan) tags += 'c';
    if (span.style().colour == Colour::kDim) tags += 'd';
    if (span.style().colour == Colour::kBlue) tags += 'k';
    if (span.style().colour == Colour::kGreen) tags += 's';
    out += tags.empty() ? span.text() : concat("<", tags, ">", span.text(), "</>");
  }
  return out;
}

std::string rendered(std::string_view text, MarkdownStream::Look look = {}, std::size_t piece = 1000) {
  MarkdownStream stream(look);
  std::string out;
  const auto add = [&](const std::vector<Line>& lines) {
    for (const Line& line : lines) out += concat(tagged(line), "\n");
  };
  for (std::size_t at = 0; at < text.size(); at += piece) add(stream.feed(text.substr(at, piece)));
  add(stream.finish());
  return out;
}

TEST(Markdown, RendersEmphasisCodeAndLinks) {
  EXPECT_EQ(rendered("a **b** *c* `d` ***e***"), "a <b>b</> <i>c</> <c>d</> <bi>e</>\n");
  EXPECT_EQ(rendered("snake_case_name 2 * 3 * 4 _x_"), "snake_case_name 2 * 3 * 4 <i>x</>\n");
  EXPECT_EQ(rendered("[docs](https://x.example/a)"), "<u>docs</><d> (https://x.example/a)</>\n");
  EXPECT_EQ(rendered("``a`b`` **`c`** \\*no\\*"), "<c>a`b</> <bc>c</> *no*\n");
  EXPECT_EQ(rendered("**open `and [so on"), "**open `and [so on\n");
}

TEST(Markdown, ShowsVeryLongLinesUnparsed) {
  const std::string line = concat(std::string(5'000, 'x'), " **b** ", std::string(50'000, '*'));
  EXPECT_EQ(rendered(line), concat(line, "\n"));
}

TEST(Markdown, RendersHeadingsListsQuotesAndRules) {
  EXPECT_EQ(rendered("# One\n## Two ##\n#hash"), "<bu>One</>\n<b>Two</>\n#hash\n");
  EXPECT_EQ(rendered("- a\n  - **b**\n12. c"), "• a\n  • <b>b</>\n12. c\n");
  EXPECT_EQ(rendered("> said\n\n---\n"), "<d>│ </><d>said</>\n\n<d>────────</>\n");
}

TEST(Markdown, IndentsListItems) {
  MarkdownStream stream({});
  const auto lines = stream.feed("  10. words\n- x\n");
  EXPECT_EQ(lines[0].hang, 6u);
  EXPECT_EQ(lines[1].hang, 2u);
}

TEST(Markdown, CollapsesEmptyLinesAndSkipsThemAtTheStart) {
  EXPECT_EQ(rendered("\n\na\n\n\n\nb\n"), "a\n\nb\n");
}

TEST(Markdown, ColoursCodeAcrossLines) {
  EXPECT_EQ(rendered("```py\ndef f():\n  return \"x\"\n```\nafter"),
            "  <k>def</> f():\n    <k>return</> <s>\"x\"</>\nafter\n");
  EXPECT_EQ(rendered("```c\n/* a\nb */ int\n```"), "  <d>/* a</>\n  <d>b */</> <k>int</>\n");
  EXPECT_EQ(rendered("~~~\n```\n# no heading\n~~~"), "  ```\n  # no heading\n");
}

TEST(Markdown, IsTheSameInPiecesOfAnySize) {
  const std::string text =
      "# T\n\nSome **bold** and `code`.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```cpp\nint x; // y\n```\n- z";
  const std::string whole = rendered(text);
  for (const std::size_t piece : {1, 2, 3, 7}) EXPECT_EQ(rendered(text, {}, piece), whole);
}

TEST(Markdown, LaysOutTablesThatFit) {
  EXPECT_EQ(rendered("|name|n|\n|---|--:|\n|long name|1|\nx"),
            "<b>name</>     <d> │ </><b>n</>\n<d>─────────</><d>─┼──</>\nlong name<d> │ </>1\nx\n");
  EXPECT_EQ(rendered("|name|n|\n|---|---|\n|long name|1|", {.columns = 8}),
            "|name|n|\n|---|---|\n|long name|1|\n");
  EXPECT_EQ(rendered("|no table"), "|no table\n");
}

TEST(Markdown, KeepsMarksWithoutStyles) {
  EXPECT_EQ(rendered("## Two\n**b** `c`\n- d", {.styles = false}), "## Two\n**b** `c`\n• d\n");
}

TEST(Markdown, ShowsUnfinishedLines) {
  MarkdownStream stream({});
  EXPECT_TRUE(stream.feed("Hello **wor").empty());
  ASSERT_EQ(stream.pending().size(), 1u);
  EXPECT_EQ(stream.pending()[0].plain(), "Hello **wor");
  EXPECT_TRUE(stream.feed("ld**").empty());
  EXPECT_EQ(tagged(stream.pending()[0]), "Hello <b>world</>");
  EXPECT_EQ(stream.feed("\n").size(), 1u);
  EXPECT_TRUE(stream.pending().empty());
  EXPECT_TRUE(stream.feed("``").empty());
  EXPECT_TRUE(stream.pending().empty());  // may become a fence
}

TEST(Markdown, EscapeSequencesAreText) {
  EXPECT_EQ(rendered("\x1b[2J**a\x1b]0;x\x07**"), "^[[2J<b>a^[]0;x^G</>\n");
}

}  // namespace
}  // namespace helve::terminal
