#include "terminal/highlight.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace helve::terminal {
namespace {

// <c> comment, <s> string, <n> number, <k> keyword
std::string marked(std::string_view code, std::string_view language) {
  return highlight(code, language, [](Colour colour, std::string_view text) {
    switch (colour) {
      case Colour::kDim: return concat("<c>", text, "</>");
      case Colour::kGreen: return concat("<s>", text, "</>");
      case Colour::kYellow: return concat("<n>", text, "</>");
      case Colour::kBlue: return concat("<k>", text, "</>");
      default: return std::string(text);
    }
  });
}

TEST(Highlight, KnowsCommentsStringsNumbersAndKeywords) {
  EXPECT_EQ(marked("int x = 42; // \"no\"", "cpp"), "<k>int</> x = <n>42</>; <c>// \"no\"</>");
  EXPECT_EQ(marked("print(\"a # b\")  # c", "python"), "print(<s>\"a # b\"</>)  <c># c</>");
  EXPECT_EQ(marked("SELECT 1 -- x", "sql"), "<k>SELECT</> <n>1</> <c>-- x</>");
}

TEST(Highlight, ColoursEachLineSeparately) {
  EXPECT_EQ(marked("/* a\nb */ x", "c"), "<c>/* a</>\n<c>b */</> x");
  EXPECT_EQ(marked("\"\"\"a\n\nb\"\"\"", "python"), "<s>\"\"\"a</>\n\n<s>b\"\"\"</>");
}

TEST(Highlight, IsNotConfusedByLookalikes) {
  EXPECT_EQ(marked("don't\nx", "shellscript"), "don't\nx");
  EXPECT_EQ(marked("echo $# a#b", "shellscript"), "<k>echo</> $# a#b");
  EXPECT_EQ(marked("\"a\\\"b\" x", "c"), "<s>\"a\\\"b\"</> x");
  EXPECT_EQ(marked("interface x1", "c"), "interface x1");
  EXPECT_EQ(marked("/* never closed", "c"), "<c>/* never closed</>");
  EXPECT_EQ(marked("\"trailing \\", "c"), "\"trailing \\");
}

TEST(Highlight, DoesNotChangeTheText) {
  const std::string code = "if (x) { return 'ü'; } // 世界\r\n\t`a`\n";
  for (const std::string_view language :
       {"c", "python", "sql", "shellscript", "html", "lisp", "nonsense", ""})
    EXPECT_EQ(highlight(code, language, [](Colour, std::string_view text) { return std::string(text); }),
              code);
}

}  // namespace
}  // namespace helve::terminal
