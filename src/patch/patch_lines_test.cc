// Where hunks without line numbers are applied: the rules of Codex's apply_patch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "patch/patch_testing.h"

namespace helve::patch {
namespace {

std::string note_of(std::string_view old_text, std::string_view body) {
  const PatchedText result = applied(old_text, begin_patch(body));
  return result.hunks.empty() ? "" : result.hunks.front().note;
}

TEST(PatchLines, ComparesMoreAndMoreLoosely) {
  EXPECT_EQ(applied("a  \nb\n", begin_patch("@@\n-a\n+A\n b\n")).text, "A\nb\n");
  EXPECT_EQ(note_of("a  \nb\n", "@@\n-a\n+A\n b\n"),
            "context matches only without the whitespace at the ends of lines");
  EXPECT_EQ(applied("    a\n\tb\n", begin_patch("@@\n-a\n+A\n b\n")).text, "A\n\tb\n");
  EXPECT_EQ(note_of("    a\n", "@@\n-a\n+A\n"), "context matches only without the indentation");
  EXPECT_EQ(applied("say “x” — now\n", begin_patch("@@\n-say \"x\" - now\n+gone\n")).text, "gone\n");
  EXPECT_EQ(note_of("it’s\n", "@@\n-it's\n+is\n"),
            "context matches only with plain quotes, dashes and spaces");
  // The strictest comparison that fits a place decides.
  EXPECT_EQ(applied(" a\na\n", begin_patch("@@\n-a\n+A\n")).text, " a\nA\n");
  conflict("  a\n\ta\n", begin_patch("@@\n-a\n+A\n"));
  conflict("A\n", begin_patch("@@\n-a\n+b\n"));
}

TEST(PatchLines, EqualHunksTakeThePlacesInOrder) {
  EXPECT_EQ(applied("a\nb\nc\na\nb\nc\n", begin_patch("@@\n a\n-b\n+B\n@@\n a\n-b\n+B2\n")).text,
            "a\nB\nc\na\nB2\nc\n");
  conflict("a\nb\na\nb\na\nb\n", begin_patch("@@\n a\n-b\n+B\n@@\n a\n-b\n+B2\n"));
}

TEST(PatchLines, NeverIgnoresContext) {
  conflict("a\nb\nc\n", begin_patch("@@\n x\n-b\n+B\n c\n"));
  conflict("1\na\nb\nc\n", begin_patch("@@\n 0\n a\n-b\n+B\n c\n"));
}

TEST(PatchLines, SearchesBelowTheHunkBefore) {
  EXPECT_EQ(applied("x\ny\nx\n", begin_patch("@@\n-y\n+Y\n@@\n-x\n+X\n")).text, "x\nY\nX\n");
  const Error error = conflict("a\nb\nc\n", begin_patch("@@\n-c\n+C\n@@\n-a\n+A\n"));
  EXPECT_THAT(error.message,
              ::testing::HasSubstr("Hunk 2 (patch line 6) fits only above the hunk before it: line 1."));
  EXPECT_THAT(error.hint, ::testing::HasSubstr("Put the hunks in the order of the file."));
  // Hunks share neither changes nor context.
  conflict("a\nb\nc\n", begin_patch("@@\n-a\n+A\n b\n@@\n b\n-c\n+C\n"));
}

TEST(PatchLines, SearchesBelowTheLineOfTheAtSign) {
  const std::string text = "class A\n  def f(x):\n    1\nclass B\n  def f(x):\n    1\n  def g(x):\n    1\n";
  EXPECT_EQ(applied(text, begin_patch("@@ class B\n@@ def f(x):\n-    1\n+    2\n")).text,
            "class A\n  def f(x):\n    1\nclass B\n  def f(x):\n    2\n  def g(x):\n    1\n");
  EXPECT_EQ(applied(text, begin_patch("@@   def g(x):  \n-    1\n+    2\n")).text,
            "class A\n  def f(x):\n    1\nclass B\n  def f(x):\n    1\n  def g(x):\n    2\n");
  EXPECT_THAT(conflict(text, begin_patch("@@ def f(x):\n-    1\n+    2\n")).message,
              ::testing::HasSubstr("lines 3 and 6"));
  // Its indentation tells lines apart that differ only in it.
  EXPECT_EQ(applied("  a\n1\na\n1\n", begin_patch("@@ a\n-1\n+2\n")).text, "  a\n1\na\n2\n");
  EXPECT_EQ(applied("  a\n1\na\n1\n", begin_patch("@@   a\n-1\n+2\n")).text, "  a\n2\na\n1\n");
  // Also above lines that go to the end of the file.
  EXPECT_EQ(applied("a\n1\n", begin_patch("@@ a\n+2\n*** End of File\n")).text, "a\n1\n2\n");
  conflict("a\n1\n", begin_patch("@@ b\n+2\n*** End of File\n"));
  conflict("a\n1\n", begin_patch("@@ a\n+2\n*** End of File\n@@ a\n+3\n*** End of File\n"));
  // The line itself is not part of the hunk, and a part of a line is not enough.
  conflict(text, begin_patch("@@ class B\n class B\n+  pass\n"));
  conflict(text, begin_patch("@@ def g\n-    1\n+    2\n"));
  conflict(text, begin_patch("@@ def h(x):\n-    1\n+    2\n"));
}

TEST(PatchLines, TheEndOfFileMarkerIsBinding) {
  EXPECT_EQ(applied("a\nb\na\n", begin_patch("@@\n-a\n+A\n*** End of File\n")).text, "a\nb\nA\n");
  const Error error = conflict("a\nb\n", begin_patch("@@\n-a\n+A\n*** End of File\n"));
  EXPECT_THAT(error.message,
              ::testing::HasSubstr("fits at line 1, but must be at the end of the file, as `*** End of "
                                   "File` says."));
  EXPECT_EQ(applied("a\n", begin_patch("@@\n-a\n+A\n\n*** End of File\n")).text, "A\n");
}

TEST(PatchLines, AChangedLastLineGetsANewline) {
  EXPECT_EQ(applied("a", begin_patch("@@\n-a\n+b\n+c\n")).text, "b\nc\n");
  EXPECT_EQ(applied("a\nb", begin_patch("@@\n+x\n*** End of File\n")).text, "a\nb\nx\n");
  EXPECT_EQ(applied("a\r\nb", begin_patch("@@\n-b\n+c\n")).text, "a\r\nc\r\n");
  // Other lines keep all their bytes.
  EXPECT_EQ(applied("a\nb", begin_patch("@@\n-a\n+A\n")).text, "A\nb");
}

TEST(PatchLines, ABlankLineAtTheEndOfAHunkCanBeASeparator) {
  EXPECT_EQ(applied("a\nb\n", begin_patch("@@\n-a\n+A\n\n@@\n-b\n+B\n\n")).text, "A\nB\n");
  // If the file has it, it tells places apart.
  EXPECT_EQ(applied("a\na\n\nb\n", begin_patch("@@\n-a\n+A\n\n")).text, "a\nA\n\nb\n");
}

TEST(PatchLines, KeepsTheLineEndingsOfTheFile) {
  EXPECT_EQ(applied("one\r\ntwo\r\nthree\r\n", begin_patch("@@\n-one\n+ONE\n two\n+2.5\n three\n")).text,
            "ONE\r\ntwo\r\n2.5\r\nthree\r\n");
  EXPECT_EQ(applied("one\r\ntwo\nthree\r\n", begin_patch("@@\n one\n two\n-three\n+THREE\n")).text,
            "one\r\ntwo\nTHREE\r\n");
}

TEST(PatchLines, LineNumbersChooseAmongPlaces) {
  EXPECT_EQ(applied("a\nx\na\nx\n", begin_patch("@@ -3,2 +3,2 @@\n a\n-x\n+y\n")).text, "a\nx\na\ny\n");
  conflict("a\nx\na\nx\n", begin_patch("@@ -9,2 +9,2 @@\n a\n-x\n+y\n"));
}

}  // namespace
}  // namespace helve::patch
