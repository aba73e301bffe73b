// Where hunks with line numbers are applied. tests/patches compares thousands of cases with git and GNU
// patch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "patch/patch_testing.h"

namespace helve::patch {
namespace {

TEST(PatchRules, AnAdditionAtTheEndIsNotAppliedTwice) {
  const FilePatch patch = hunks("@@ -1,3 +1,4 @@\n a\n b\n c\n+d\n");
  EXPECT_EQ(applied("a\nb\nc\n", patch).text, "a\nb\nc\nd\n");
  EXPECT_THAT(conflict("a\nb\nc\nd\n", patch).message, ::testing::HasSubstr("is already applied"));
  conflict("a\nb\nc\nd\nd\n", patch);
  for (const std::string_view body : {"@@ -2,2 +2,3 @@\n b\n c\n+d\n", "@@ -3 +3,2 @@\n c\n+d\n"})
    conflict("a\nb\nc\nd\n", hunks(body));
}

TEST(PatchRules, AnAdditionAtTheStartIsNotAppliedTwice) {
  const FilePatch patch = hunks("@@ -1,3 +1,4 @@\n+0\n a\n b\n c\n");
  EXPECT_EQ(applied("a\nb\nc\nd\n", patch).text, "0\na\nb\nc\nd\n");
  conflict("0\na\nb\nc\nd\n", patch);
  const Error error = conflict("x\na\nb\nc\nd\n", patch);
  EXPECT_THAT(error.message,
              ::testing::HasSubstr("fits at line 2, but must be at the start of the file, because "
                                   "it has no unchanged lines above its change."));
  EXPECT_THAT(to_text(error.details), ::testing::HasSubstr("\"reason\":\"notAtEdge\""));
}

TEST(PatchRules, AHunkWithoutTrailingContextBelongsToTheEnd) {
  const FilePatch patch = hunks("@@ -2,3 +2,4 @@\n a\n b\n c\n+d\n");
  EXPECT_EQ(applied("1\n2\n3\na\nb\nc\n", patch).text, "1\n2\n3\na\nb\nc\nd\n");
  EXPECT_THAT(
      conflict("1\na\nb\nc\n5\n6\n", patch).message,
      ::testing::HasSubstr("must be at the end of the file, because it has no unchanged lines below"));
  // The lines that it removes show that it was not applied yet.
  EXPECT_EQ(applied("1\na\nb\n4\n", hunks("@@ -2,2 +2,2 @@\n a\n-b\n+B\n")).text, "1\na\nB\n4\n");
}

TEST(PatchRules, ContextIsNeverReducedToBlankLines) {
  const FilePatch addition = hunks("@@ -4,3 +4,5 @@\n c\n+x\n+y\n \n \n");
  conflict("a\n\nb\nc\n", addition);
  conflict("a\n\n\nb\n\n\nc\n", addition);
  EXPECT_EQ(applied("1\n2\n3\nc\n\n\n", addition).text, "1\n2\n3\nc\nx\ny\n\n\n");
  conflict("a\n\nb\n\nc\n", hunks("@@ -2,3 +2,2 @@\n q\n-\n \n"));
}

TEST(PatchRules, HunksWithTheSameLinesTakePlacesOfTheirOwn) {
  const std::string_view once = "@@ -1,3 +1,4 @@\n a\n b\n+x\n c\n";
  const std::string_view twice = "@@ -1,3 +1,4 @@\n a\n b\n+x\n c\n@@ -1,3 +1,4 @@\n a\n b\n+y\n c\n";
  EXPECT_EQ(applied("a\nb\nc\n", hunks(once)).text, "a\nb\nx\nc\n");
  EXPECT_THAT(conflict("a\nb\nc\n", hunks(twice)).message,
              ::testing::HasSubstr("fits only where other hunks"));
}

TEST(PatchRules, OfTwoPlacesEquallyNearTheLaterCountsIfGitAndPatchAgree) {
  const PatchedText result = applied("a\nx\nb\n1\n2\na\nx\nb\n", hunks("@@ -3,3 +3,3 @@\n a\n-x\n+y\n b\n"));
  EXPECT_EQ(result.hunks.front().line, 1U);
  EXPECT_EQ(applied("1\na\nx\nb\na\nx\nb\n", hunks("@@ -3,3 +3,3 @@\n a\n-x\n+y\n b\n")).hunks.front().line,
            2U);
  const std::string text = "1\na\nx\nb\n2\na\nx\nb\n";
  EXPECT_EQ(applied(text, hunks("@@ -4,3 +4,3 @@\n a\n-x\n+y\n b\n")).hunks.front().line, 6U);
}

TEST(PatchRules, DifferentPlacesOfGitAndPatchAreAmbiguousUnlessTheNumbersFit) {
  // Patch follows the offset of the first hunk; git looks near the line of the second one.
  const FilePatch patch = hunks("@@ -2,2 +2,2 @@\n-s\n+S\n 1\n@@ -7,3 +7,3 @@\n q\n-x\n+X\n r\n");
  const std::string block = "q\nx\nr\n";
  EXPECT_EQ(applied(concat("h\nn\nn\nn\ns\n1\n", block, block, block), patch).text,
            concat("h\nn\nn\nn\nS\n1\n", block, "q\nX\nr\n", block));
  EXPECT_THAT(
      conflict(concat("h\nn\nn\ns\n1\n", block, "\n\n", block), patch).message,
      ::testing::HasSubstr("Hunk 2 (patch line 7, for line 7) fits more than one place: lines 6 and 11."));
}

TEST(PatchRules, APatchOfAnEmptyFileDoesNotDeleteAnother) {
  const FilePatch patch = patch_of("diff --git a/x b/x\ndeleted file mode 100644\nindex e69de29..0000000\n");
  EXPECT_EQ(applied("", patch).text, "");
  EXPECT_THAT(conflict("precious\n", patch).message,
              ::testing::HasSubstr("deletes x, but the file has lines that the patch does not remove"));
}

TEST(PatchRules, OnlyAMissingOrEmptyFileIsCreated) {
  const FilePatch patch = hunks("@@ -0,0 +1 @@\n+new\n");
  EXPECT_EQ(applied("", patch).text, "new\n");
  EXPECT_THAT(conflict("old\n", patch).message, ::testing::HasSubstr("creates x, which already exists"));
}

TEST(PatchRules, ALineWithoutNewlineIsNeverPutInside) {
  conflict("a\na\na\n", hunks("@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n"));
  EXPECT_EQ(applied("a\nb\n", hunks("@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n")).text,
            "a\nc");
}

TEST(PatchRules, AnEmptyLineAtTheEndKeepsItsNewline) {
  EXPECT_EQ(applied("a\nb", hunks("@@ -1,2 +1,3 @@\n a\n b\n+\n")).text, "a\nb\n\n");
}

TEST(PatchRules, LoneCarriageReturnsAreBytesForGitAndLinesForOthers) {
  EXPECT_EQ(applied("a\rb\nc\n", hunks("@@ -1,2 +1,2 @@\n a\rb\n-c\n+C\n")).text, "a\rb\nC\n");
  EXPECT_EQ(applied("a\rb\r", hunks("@@ -1 +1 @@\n-a\rb\r\n\\ No newline at end of file\n+a\rB\r\n"
                                    "\\ No newline at end of file\n"))
                .text,
            "a\rB\r");
}

}  // namespace
}  // namespace helve::patch
