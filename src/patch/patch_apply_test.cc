#include "patch/patch_apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

#include "patch/diff.h"
#include "patch/diff_testing.h"
#include "patch/patch_testing.h"

namespace helve::patch {
namespace {

TEST(PatchApply, AppliesAtTheStatedLine) {
  const PatchedText result = applied("a\nb\nc\n", hunks("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"));
  EXPECT_EQ(result.text, "a\nB\nc\n");
  EXPECT_EQ(result.hunks, (std::vector<HunkReport>{{1, 1, 0, 0, ""}}));
}

TEST(PatchApply, FindsMovedHunksInEitherDirection) {
  const FilePatch patch = hunks("@@ -5,3 +5,3 @@\n line 5\n-line 6\n+six\n line 7\n");
  const PatchedText down = applied("new\nnew\n" + numbered(1, 9), patch);
  EXPECT_EQ(down.text, "new\nnew\n" + numbered(1, 5) + "six\n" + numbered(7, 9));
  EXPECT_EQ(down.hunks, (std::vector<HunkReport>{{1, 7, 2, 0, ""}}));
  const PatchedText up = applied(numbered(3, 9), patch);
  EXPECT_EQ(up.text, numbered(3, 5) + "six\n" + numbered(7, 9));
  EXPECT_EQ(up.hunks, (std::vector<HunkReport>{{1, 3, -2, 0, ""}}));
}

TEST(PatchApply, LaterHunksFollowTheOffsetOfEarlierOnes) {
  // All lines are equal, so only the offset of the first hunk determines the place of the second.
  std::string text = "x\nx\nx\nstart\n";
  for (int n = 0; n < 30; ++n) text += "x\n";
  const PatchedText result = applied(text, hunks("@@ -1 +1 @@\n-start\n+begin\n@@ -10 +10 @@\n-x\n+y\n"));
  EXPECT_EQ(result.hunks, (std::vector<HunkReport>{{1, 4, 3, 0, ""}, {2, 13, 3, 0, ""}}));
}

TEST(PatchApply, UsesTheNearestPlaceAndMentionsOthers) {
  const FilePatch patch = hunks("@@ -4 +4 @@\n-x\n+y\n");
  const PatchedText result = applied("x\n1\n2\n3\n4\nx\n", patch);
  EXPECT_EQ(result.text, "x\n1\n2\n3\n4\ny\n");
  EXPECT_EQ(result.hunks.front().offset, 2);
  EXPECT_EQ(result.hunks.front().note, "the nearest of 2 places with these lines");
  EXPECT_THAT(conflict("1\nx\n3\n4\n5\nx\n7\n", patch).message,
              ::testing::HasSubstr("fits more than one place: lines 2 and 6."));
}

TEST(PatchApply, IgnoresSomeContextAndReportsIt) {
  const FilePatch patch = hunks("@@ -2,7 +2,7 @@\n a\n b\n c\n-d\n+D\n e\n f\n g\n");
  const PatchedText result = applied("1\nA\nb\nc\nd\ne\nf\ng\n", patch);
  EXPECT_EQ(result.text, "1\nA\nb\nc\nD\ne\nf\ng\n");
  EXPECT_EQ(
      result.hunks,
      (std::vector<HunkReport>{{1, 3, 0, 1, "context that does not match was ignored: the first 1 line"}}));
  const PatchedText both = applied("1\nA\nB\nc\nd\ne\nF\nG\n", patch);
  EXPECT_EQ(both.text, "1\nA\nB\nc\nD\ne\nF\nG\n");
  EXPECT_EQ(both.hunks.front().fuzz, 2U);
  conflict("1\nA\nB\nC\nd\ne\nf\ng\n", patch);
  conflict("1\nA\nb\nc\nd\ne\nf\ng\n", patch, {.max_fuzz = 0});
}

TEST(PatchApply, NeverGuessesWithFuzzBetweenPlaces) {
  const FilePatch patch = hunks("@@ -9,3 +9,3 @@\n a\n-x\n+y\n b\n");
  EXPECT_THAT(conflict("1\nx\nb\n2\n3\nx\nb\n", patch).message,
              ::testing::HasSubstr("fits more than one place: lines 2 and 6"));
}

TEST(PatchApply, NeverIgnoresAllContext) {
  conflict("1\nx\n2\n", hunks("@@ -1,3 +1,3 @@\n a\n-x\n+y\n b\n"));
}

TEST(PatchApply, IgnoresTrailingSpaceOfContextAsALastResort) {
  const FilePatch patch = hunks("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c  \n");
  const PatchedText result = applied("a \t\nb\nc\n", patch, {.max_fuzz = 0});
  EXPECT_EQ(result.text, "a \t\nB\nc\n");
  EXPECT_EQ(result.hunks.front().note, "context matches only without the whitespace at the ends of lines");
  conflict("a \t\nb\nc\n", patch, {.max_fuzz = 0, .ignore_trailing_space = false});
  EXPECT_THAT(conflict("a\nb \nc\n", patch).message,
              ::testing::HasSubstr("line 2: the whitespace at its end differs"));
}

TEST(PatchApply, FindsHunksWithoutNumbersByTheirLines) {
  const PatchedText result = applied(numbered(1, 20), begin_patch("@@\n line 7\n-line 8\n+eight\n"));
  EXPECT_EQ(result.text, numbered(1, 7) + "eight\n" + numbered(9, 20));
  EXPECT_EQ(result.hunks, (std::vector<HunkReport>{{1, 7, 0, 0, ""}}));
}

TEST(PatchApply, RefusesAmbiguousHunksAndShowsThePlaces) {
  const Error error = conflict("a\nx = 1\nb\nx = 1\n", begin_patch("@@\n-x = 1\n+x = 2\n"));
  EXPECT_EQ(
      error.message,
      "The patch does not apply to x.\n\nHunk 1 (patch line 3) fits more than one place: lines 2 and 4.\n"
      "  2| x = 1\n  3| b\n  4| x = 1\n  4| x = 1");
  EXPECT_THAT(error.hint, ::testing::HasSubstr("Add unchanged lines"));
  EXPECT_THAT(to_text(error.details), ::testing::HasSubstr("\"reason\":\"ambiguous\",\"places\":[2,4]"));
}

TEST(PatchApply, AnchorsAndOrderDistinguishPlaces) {
  const std::string text = "def f():\n  x = 1\n\ndef g():\n  x = 1\n\ndef h():\n  x = 1\n";
  EXPECT_EQ(applied(text, begin_patch("@@ def g():\n-  x = 1\n+  x = 2\n")).text,
            "def f():\n  x = 1\n\ndef g():\n  x = 2\n\ndef h():\n  x = 1\n");
  EXPECT_EQ(applied(text, begin_patch("@@ def g():\n-  x = 1\n+  x = 2\n@@\n-  x = 1\n+  x = 3\n")).text,
            "def f():\n  x = 1\n\ndef g():\n  x = 2\n\ndef h():\n  x = 3\n");
  EXPECT_EQ(applied(text, begin_patch("@@\n-  x = 1\n+  x = 9\n*** End of File\n")).text,
            "def f():\n  x = 1\n\ndef g():\n  x = 1\n\ndef h():\n  x = 9\n");
  const std::string classes = "class A\n  def f\n    1\nclass B\n  def f\n    1\n";
  EXPECT_EQ(applied(classes, begin_patch("@@ class B\n@@ def f\n-    1\n+    2\n")).text,
            "class A\n  def f\n    1\nclass B\n  def f\n    2\n");
  EXPECT_THAT(conflict(classes, begin_patch("@@ def f\n-    1\n+    2\n")).message,
              ::testing::HasSubstr("lines 3 and 6"));
}

TEST(PatchApply, AdditionsWithoutContextGoToTheEnd) {
  const PatchedText end = applied("a\nb\n", begin_patch("@@\n+x\n"));
  EXPECT_EQ(end.text, "a\nb\nx\n");
  EXPECT_EQ(end.hunks.front().note, "added at the end of the file, since it names no place");
  EXPECT_EQ(applied("", begin_patch("@@\n+x\n")).text, "x\n");
}

TEST(PatchApply, ZeroContextHunksUseTheirNumbers) {
  EXPECT_EQ(applied("a\nb\n", hunks("@@ -1,0 +2 @@\n+x\n")).text, "a\nx\nb\n");
  EXPECT_EQ(applied("a\nb\n", hunks("@@ -0,0 +1 @@\n+x\n@@ -2,0 +4 @@\n+y\n")).text, "x\na\nb\ny\n");
  EXPECT_EQ(applied("a\nb\n", hunks("@@ -2 +1,0 @@\n-b\n")).text, "a\n");
  EXPECT_EQ(applied("a\n", hunks("@@ -7,0 +8 @@\n+x\n")).text, "a\nx\n");
}

TEST(PatchApply, PatchesWithLfFitCrlfFiles) {
  const FilePatch patch = hunks("@@ -1,3 +1,4 @@\n a\n-b\n+B\n+B2\n c\n");
  const PatchedText result = applied("a\r\nb\r\nc\r\n", patch);
  EXPECT_EQ(result.text, "a\r\nB\r\nB2\r\nc\r\n");
  EXPECT_EQ(result.hunks.front().note, "the file's line endings differ from the patch's and were kept");
  EXPECT_EQ(applied("a\nb\r\nc\n", patch).text, "a\nB\r\nB2\r\nc\n");
  EXPECT_EQ(applied("a\r\nb\nc\r\n", patch).text, "a\r\nB\nB2\nc\r\n");
  EXPECT_EQ(applied("a\r\nb\r\n", hunks("@@ -1,0 +2 @@\n+x\n")).text, "a\r\nx\r\nb\r\n");
}

TEST(PatchApply, PatchesWithCrlfFitLfFiles) {
  const FilePatch patch = hunks("@@ -1,2 +1,2 @@\n a\r\n-b\r\n+B\r\n");
  EXPECT_EQ(applied("a\nb\n", patch).text, "a\nB\n");
  EXPECT_EQ(applied("a\r\nb\r\n", patch).text, "a\r\nB\r\n");
  EXPECT_EQ(applied("a\nb\n", patch_of("--- a/x\r\n+++ b/x\r\n@@ -2 +2 @@\r\n-b\r\n+B\r\n")).text, "a\nB\n");
  EXPECT_EQ(applied("a\r\nb\r\n", patch_of("--- a/x\r\n+++ b/x\r\n@@ -2 +2 @@\r\n-b\r\n+B\r\n")).text,
            "a\r\nB\r\n");
}

TEST(PatchApply, PatchesMayChangeLineEndings) {
  EXPECT_EQ(applied("a\r\nb\n", hunks("@@ -1,2 +1,2 @@\n-a\r\n+a\n b\n")).text, "a\nb\n");
  EXPECT_EQ(applied("a\nb\n", hunks("@@ -1,2 +1,2 @@\n-a\n+a\r\n b\n")).text, "a\r\nb\n");
}

TEST(PatchApply, HonoursMissingFinalNewlines) {
  EXPECT_EQ(applied("a\nb", hunks("@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n")).text,
            "a\nb\n");
  EXPECT_EQ(applied("a\nb\n", hunks("@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n")).text,
            "a\nb");
  EXPECT_EQ(applied("a\nb", hunks("@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n")).text,
            "A\nb");
  EXPECT_THAT(
      conflict("a\nb\nc\n", hunks("@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n")).message,
      ::testing::HasSubstr("They must be the last lines of the file"));
}

TEST(PatchApply, KeepsTheFinalNewlineThatThePatchOmits) {
  const PatchedText result = applied("a\nb", hunks("@@ -1,2 +1,3 @@\n a\n-b\n+B\n+C\n"));
  EXPECT_EQ(result.text, "a\nB\nC");
  EXPECT_EQ(result.hunks.front().note, "the file has no newline at its end, which was kept");
  EXPECT_EQ(applied("a\r\nb", hunks("@@ -1,2 +1,3 @@\n a\n b\n+C\n")).text, "a\r\nb\r\nC");
}

TEST(PatchApply, HonoursTheMarkWhereTheFileHasANewline) {
  const PatchedText result = applied("a\nb\n", hunks("@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+B\n"));
  EXPECT_EQ(result.text, "a\nB\n");
  EXPECT_EQ(result.hunks.front().note, "the file has a newline at its end, unlike the patch says");
}

TEST(PatchApply, CreatesAndDeletes) {
  EXPECT_EQ(
      applied("", patch_of("--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n"))
          .text,
      "a\nb");
  EXPECT_EQ(applied("a\nb\n", patch_of("--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n")).text, "");
  EXPECT_EQ(applied("a\n", patch_of("*** Begin Patch\n*** Delete File: x\n*** End Patch\n")).text, "");
  EXPECT_EQ(applied("a\n", patch_of("diff --git a/x b/y\nrename from x\nrename to y\n")).text, "a\n");
}

TEST(PatchApply, RoundTripsRandomEdits) {
  std::cout << "seed " << kSeed << "\n";
  std::mt19937 random(kSeed);
  for (int round = 0; round < 2000; ++round) {
    const unsigned kinds = 1 + static_cast<unsigned>(random() % 50);
    const std::string old_text = random_text(random, random() % 80, kinds);
    const std::string new_text = with_random_edits(random, old_text, kinds);
    if (old_text == new_text) continue;
    const std::string diff =
        unified_diff(old_text, new_text,
                     {.old_path = "x", .new_path = "x", .context_lines = 1 + random() % 4})
            .text;
    const Expected<Patch> patch = parse_patch(diff, {.lenient_counts = false});
    ASSERT_TRUE(patch) << "round " << round << "\n" << patch.error().message << "\n" << diff;
    const Expected<PatchedText> result = apply_hunks(old_text, patch->files.front());
    ASSERT_TRUE(result) << "round " << round << "\n" << result.error().message << "\n" << diff;
    ASSERT_EQ(result->text, new_text) << "round " << round;
    for (const HunkReport& report : result->hunks) {
      ASSERT_EQ(report.offset, 0);
      ASSERT_EQ(report.fuzz, 0U);
      ASSERT_EQ(report.note, "");
    }
  }
}

TEST(PatchApply, RoundTripsIntoFilesThatChangedSince) {
  std::mt19937 random(kSeed);
  for (int round = 0; round < 300; ++round) {
    const std::string old_text = numbered(1, 60);
    std::string new_text = numbered(1, 30) + concat("new ", random() % 100, "\n") +
                           numbered(31 + static_cast<int>(random() % 3), 60);
    const std::string above = numbered(100, 101 + static_cast<int>(random() % 20));
    const FilePatch patch =
        patch_of(unified_diff(old_text, new_text, {.old_path = "x", .new_path = "x"}).text);
    ASSERT_EQ(applied(above + old_text, patch).text, above + new_text);
  }
}

TEST(PatchApply, AppliesGitDiffs) {
  if (!is_installed("git")) GTEST_SKIP() << "git is not installed";
  std::cout << "seed " << kSeed << "\n";
  std::mt19937 random(kSeed);
  const CommandDirectory directory;
  for (int round = 0; round < 40; ++round) {
    const std::string old_text = random_text(random, 1 + random() % 80, 30);
    const std::string new_text = with_random_edits(random, old_text, 30);
    directory.write("old", old_text);
    directory.write("new", new_text);
    if (directory.run(concat("git diff --no-index --text --no-color ",
                             round % 2 == 0 ? "--patience" : "--minimal", " old new")) == 0)
      continue;
    std::string diff = directory.read("output");
    diff = replace_all(replace_all(diff, "a/old", "a/x"), "b/new", "b/x");
    ASSERT_EQ(applied(old_text, patch_of(diff)).text, new_text) << diff;
  }
}

TEST(PatchApply, AppliesGitRenamesCreationsAndModes) {
  if (!is_installed("git")) GTEST_SKIP() << "git is not installed";
  const CommandDirectory directory;
  directory.write("a b", numbered(1, 30));
  directory.write("ä", "x\n");
  ASSERT_EQ(directory.run(
                "git init -q . && git add 'a b' ä && git -c user.name=x -c user.email=x@x commit -qm x && "
                "git mv 'a b' c && sed -i 's/line 9$/nine/' c && printf 'n\\nm' > new && chmod +x ä && "
                "touch empty && git add -A . ':!output' && git diff --cached -M --output=patch"),
            0)
      << directory.read("output");
  const Expected<Patch> patch = parse_patch(directory.read("patch"));
  ASSERT_TRUE(patch) << patch.error().message;
  ASSERT_EQ(patch->files.size(), 4U) << directory.read("patch");
  EXPECT_EQ(patch->files[0].kind, PatchKind::kRename);
  EXPECT_EQ(patch->files[0].old_path, "a b");
  EXPECT_EQ(applied(numbered(1, 30), patch->files[0]).text, directory.read("c"));
  EXPECT_EQ(patch->files[1].new_path, "empty");
  EXPECT_EQ(patch->files[1].kind, PatchKind::kCreate);
  EXPECT_EQ(applied("", patch->files[2]).text, "n\nm");
  EXPECT_EQ(patch->files[3].new_path, "ä");
  EXPECT_EQ(patch->files[3].new_mode, 0100755U);
}

TEST(PatchApply, AppliesManyHunksToALargeFile) {
  std::mt19937 random(kSeed);
  const std::string old_text = numbered(1, 200'000);
  std::string new_text;
  for (int n = 1; n <= 200'000; ++n)
    new_text += random() % 10 == 0 ? concat("changed ", n, "\n") : concat("line ", n, "\n");
  const FilePatch patch = patch_of(unified_diff(old_text, new_text, {.old_path = "x", .new_path = "x"}).text);
  EXPECT_EQ(applied(old_text, patch).text, new_text);
}

}  // namespace
}  // namespace helve::patch
