#include "patch/patch_conflict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "patch/diff_line.h"
#include "patch/patch_testing.h"

namespace helve::patch {
namespace {

TEST(PatchConflict, RefusesToCreateOverContentOrToDeleteUnknownLines) {
  const FilePatch create = patch_of("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(conflict("b\n", create).message,
            "The patch creates x, which already exists with different content.");
  EXPECT_EQ(conflict("a\n", create).message,
            "The patch creates x, which already exists with the same content.");
  EXPECT_EQ(conflict("a\nb\n", patch_of("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n")).message,
            "The patch deletes x, but the file has lines that the patch does not remove, such as `b`.");
}

TEST(PatchConflict, ShowsTheClosestRegionAndTheDifferences) {
  const Error error =
      conflict("int a;\n\nint f(int x) {\n\treturn x;\n}\n\nint b;\n",
               hunks("@@ -4,3 +4,3 @@ f\n int f(int y) {\n-    return x;\n+    return 2 * x;\n }\n"));
  EXPECT_EQ(error.message,
            "The patch does not apply to x.\n\n"
            "Hunk 1 (patch line 3, for line 4) expects these lines, which are not in the file:\n"
            "  | int f(int y) {\n  |     return x;\n  | }\n"
            "The closest lines found:\n"
            "  3| int f(int x) {\n  4| \treturn x;\n  5| }\n"
            "- line 3: `int f(int y) {` expected, `int f(int x) {` found.\n"
            "- line 4: the indentation differs: 4 spaces expected, 1 tab found.");
  EXPECT_THAT(error.hint, ::testing::HasSubstr("Nothing was changed"));
  EXPECT_THAT(to_text(error.details), ::testing::HasSubstr("\"closestLine\":3"));
}

TEST(PatchConflict, ReportsMissingAndExtraLines) {
  const std::string message = conflict("1\nalpha one\nextra\nbeta two\n9\n",
                                       hunks("@@ -2,3 +2,3 @@\n alpha one\n-beta two\n+b\n gamma\n"))
                                  .message;
  EXPECT_THAT(message, ::testing::HasSubstr("- line 3 is not in the hunk: `extra`."));
  EXPECT_THAT(message, ::testing::HasSubstr("`gamma` expected, `9` found"));
  EXPECT_THAT(conflict("q\n", hunks("@@ -1 +1 @@\n-something else\n+b\n")).message,
              ::testing::HasSubstr("Nothing in the file is similar."));
  EXPECT_THAT(conflict("", hunks("@@ -1 +1 @@\n-something else\n+b\n")).message,
              ::testing::HasSubstr("The file is empty."));
}

TEST(PatchConflict, FindsTheClosestLineEvenWhenNoneIsEqual) {
  EXPECT_THAT(
      conflict("a\nreturn compute(x, 17);\n", hunks("@@ -1 +1 @@\n-return compute(x, 16);\n+b\n")).message,
      ::testing::HasSubstr("  2| return compute(x, 17);"));
}

TEST(PatchConflict, RecognizesHunksThatAreAlreadyApplied) {
  const FilePatch patch = hunks("@@ -1,2 +1,3 @@\n a\n+new\n b\n");
  const Error error = conflict("a\nnew\nb\n", patch);
  EXPECT_THAT(
      error.message,
      ::testing::HasSubstr(
          "Hunk 1 (patch line 3, for line 1) is already applied: the lines it would leave are at line 1."));
  EXPECT_THAT(error.hint, ::testing::HasSubstr("Remove the hunks that are already applied"));
  EXPECT_THAT(conflict("a\nB\nc\n", begin_patch("@@\n a\n-b\n+B\n")).message,
              ::testing::HasSubstr("is already applied"));
  EXPECT_THAT(conflict("a\nc\n", hunks("@@ -1,3 +1,2 @@\n a\n-b\n c\n")).message,
              ::testing::HasSubstr("is already applied"));
}

TEST(PatchConflict, ListsEveryHunkThatFailsAndChangesNothing) {
  std::string text;
  for (int n = 1; n <= 8; ++n)
    text += concat("@@ -", n, " +", n, " @@\n-", n == 2 ? "line 2" : "nowhere", "\n+new\n");
  const Error error = conflict(numbered(1, 9), hunks(text));
  EXPECT_TRUE(error.message.starts_with("7 of 8 hunks do not apply to x.\n\nHunk 1 "));
  EXPECT_THAT(error.message, ::testing::HasSubstr("\n\nHunks 7 and 8 do not apply either."));
  EXPECT_EQ(error.details.find("hunks")->as_array().size(), 7U);
}

TEST(PatchConflict, KeepsErrorsShortAndValidForAnyFile) {
  const std::string long_line(100'000, '\xFF');
  std::string text;
  for (int n = 0; n < 50; ++n) text += concat(" ", long_line, n, "\n");
  const Error error = conflict(concat(long_line, "\n"), hunks(concat("@@ -1,50 +1,51 @@\n", text, "+x\n")));
  EXPECT_LT(error.message.size(), 20'000U);
  EXPECT_TRUE(is_valid_utf8(error.message));
}

TEST(PatchConflict, IsFastOnMaliciousPatches) {
  // Frequent lines, long hunks, no hunk at its stated line: each search would be quadratic.
  const std::string blank(100'000, '\n');
  FilePatch patch{.old_path = "x", .new_path = "x"};
  for (int n = 0; n < 100; ++n) {
    Hunk hunk{.old_start = 1};
    for (int line = 0; line < 300; ++line) hunk.lines.push_back({' ', "", true});
    hunk.lines.push_back({'-', "x", true});
    patch.hunks.push_back(std::move(hunk));
  }
  conflict(blank, patch);
  FilePatch anchored{.old_path = "x", .new_path = "x"};
  for (int n = 0; n < 3000; ++n) anchored.hunks.push_back({.lines = {{'-', "x"}}, .anchors = {"zzz", "yyy"}});
  const std::string large = numbered(1, 50'000, std::string(100, ' ') + "\n");
  EXPECT_THAT(to_text(conflict(large, anchored).details), ::testing::HasSubstr("tooMuchWork"));
}

TEST(PatchConflict, ReportsWhatAnAdditionWithoutContextLacks) {
  const Error error = conflict("a\nb\n", begin_patch("@@ a\n+x\n"));
  EXPECT_THAT(error.message,
              ::testing::HasSubstr("has only added lines, so the line `a` of its @@ does not say"));
  EXPECT_THAT(error.hint, ::testing::HasSubstr("Add unchanged lines above and below"));
  EXPECT_THAT(
      conflict("a\nb\n", hunks("@@ -1,0 +2 @@\n+x\n\\ No newline at end of file\n")).message,
      ::testing::HasSubstr("must be at the end of the file, because the patch marks a missing newline"));
}

TEST(PatchConflict, SaysWhyALineOfAnAtSignDoesNotCount) {
  const std::string text = "def f(a):\n  x\ndef g(a):\n  y\n";
  EXPECT_THAT(conflict(text, begin_patch("@@ def h\n-  x\n+  z\n")).message,
              ::testing::HasSubstr("belongs below the line `def h` of its @@, which is not in the file."));
  EXPECT_THAT(conflict(text, begin_patch("@@ def g\n-  y\n+  z\n")).message,
              ::testing::HasSubstr("which must be a whole line of the file:\n  3| def g(a):"));
  EXPECT_THAT(conflict(text, begin_patch("@@\n-  y\n+  z\n@@ def f(a):\n-  x\n+  z\n")).message,
              ::testing::HasSubstr("which is only above the hunk before it:\n  1| def f(a):"));
  EXPECT_THAT(conflict(text, begin_patch("@@ def g(a):\n-  x\n+  z\n")).message,
              ::testing::HasSubstr("fits only above the line `def g(a):` of its @@: line 2."));
}

TEST(PatchConflict, DescribesHowLinesDiffer) {
  EXPECT_EQ(describe_line_difference("a", "a"), "");
  EXPECT_EQ(describe_line_difference("a", "a\r"), "the line ending differs");
  EXPECT_EQ(describe_line_difference("a", "a "), "the whitespace at its end differs");
  EXPECT_EQ(describe_line_difference("  a", "\t\t a"),
            "the indentation differs: 2 spaces expected, 2 tabs and 1 space found");
  EXPECT_EQ(describe_line_difference("f(a,b)", "f(a, b)"),
            "only spaces inside it differ: `f(a,b)` expected, `f(a, b)` found");
  EXPECT_EQ(describe_line_difference("Abc", "abc"),
            "upper and lower case differ: `Abc` expected, `abc` found");
  EXPECT_EQ(describe_line_difference("say \"x\"", "say “x”"),
            "typographic quotes, dashes or spaces differ: `say \"x\"` expected, `say “x”` found");
  EXPECT_EQ(describe_line_difference("one", "two"), "`one` expected, `two` found");
  EXPECT_EQ(describe_line_difference(std::string(100, '-') + "a", std::string(100, '-') + "b"),
            "…`--------------------a` expected, …`--------------------b` found");
}

}  // namespace
}  // namespace helve::patch
