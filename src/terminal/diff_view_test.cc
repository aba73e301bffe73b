#include "terminal/diff_view.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace helve::terminal {
namespace {

// Marked words in brackets.
std::string shown(std::string_view diff, std::size_t most = 100) {
  std::string out;
  for (const Line& line : diff_view(diff, most)) {
    for (const Span& span : line.spans)
      out += span.style().reverse ? concat("[", span.text(), "]") : span.text();
    out += '\n';
  }
  return out;
}

TEST(DiffView, MarksTheWordsThatChanged) {
  EXPECT_EQ(shown("--- a/add.py\n+++ b/add.py\n@@ -1,3 +1,3 @@\n def add(a, b):\n-    return a - b\n+    "
                  "return a + b\n \n"),
            "add.py\n   1   def add(a, b):\n   2 -     return a [-] b\n   2 +     return a [+] b\n   3   \n");
}

TEST(DiffView, DoesNotMarkLinesWithNothingInCommon) {
  EXPECT_EQ(shown("@@ -1 +1 @@\n-abc def\n+xyz();\n"), "   1 - abc def\n   1 + xyz();\n");
  EXPECT_EQ(shown("@@ -1,2 +1 @@\n-one\n-two\n+one two\n"), "   1 - one\n   2 - two\n   1 + one two\n");
}

TEST(DiffView, NamesNewDeletedAndRenamedFiles) {
  EXPECT_EQ(shown("--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n"), "new (new)\n   1 + x\n");
  EXPECT_EQ(shown("--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"), "old (deleted)\n   1 - x\n");
  EXPECT_EQ(shown("--- a/old\n+++ b/new\n@@ -1 +1 @@\n-x\n+y\n"), "new (was old)\n   1 - x\n   1 + y\n");
}

TEST(DiffView, DoesNotTakeALineForAHeader) {
  EXPECT_EQ(shown("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a\n+++ b\n same\n"),
            "x\n   1 - -- a\n   1 + ++ b\n   2   same\n");
}

TEST(DiffView, SeparatesHunksAndCountsOmittedLines) {
  const std::string diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ -12 +12 @@\n-c\n+d\n";
  EXPECT_EQ(shown(diff), "x\n   1 - a\n   1 + b\n     ⋮\n  12 - c\n  12 + d\n");
  EXPECT_EQ(shown(diff, 3), "x\n   1 - a\n   1 + b\n     … 3 more lines\n");
}

TEST(DiffView, FileContentCannotControlTheTerminal) {
  EXPECT_EQ(shown("--- a/\x1b[2Jx\n+++ b/\x1b[2Jx\n@@ -1 +1 @@\n-a\x1b[31m\n+b\r\n"),
            "^[[2Jx\n   1 - a^[[31m\n   1 + b\n");
}

}  // namespace
}  // namespace helve::terminal
