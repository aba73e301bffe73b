#include "patch/patch_parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"

namespace helve::patch {
namespace {

Patch parsed(std::string_view text, const PatchParseOptions& options = {}) {
  Expected<Patch> patch = parse_patch(text, options);
  if (!patch) {
    ADD_FAILURE() << patch.error().message;
    return {};
  }
  return std::move(*patch);
}

std::string complaint(std::string_view text, const PatchParseOptions& options = {}) {
  const Expected<Patch> patch = parse_patch(text, options);
  if (patch) return "no complaint";
  EXPECT_EQ(patch.error().code, ErrorCode::kInvalidArgument);
  return patch.error().message;
}

FilePatch only_file(std::string_view text) {
  Patch patch = parsed(text);
  EXPECT_EQ(patch.files.size(), 1U);
  return patch.files.empty() ? FilePatch{} : patch.files.front();
}

TEST(Patch, ReadsAPlainUnifiedDiff) {
  const FilePatch expected{.kind = PatchKind::kModify,
                           .old_path = "dir/x.c",
                           .new_path = "dir/x.c",
                           .hunks = {{.old_start = 3,
                                      .header_old = 3,
                                      .header_new = 3,
                                      .lines = {{' ', "a"}, {'-', "b"}, {'+', "B"}, {' ', ""}},
                                      .section = "int f()",
                                      .patch_line = 3}},
                           .patch_line = 1};
  EXPECT_EQ(only_file("--- a/dir/x.c\n+++ b/dir/x.c\n@@ -3,3 +3,3 @@ int f()\n a\n-b\n+B\n \n"), expected);
}

TEST(Patch, IgnoresTextBeforeTheFirstHeaderAndTimeStamps) {
  const FilePatch file = only_file(
      "From: me\nSubject: x\n---\n x.c | 2 +-\n\n--- x.c\t2024-01-01 10:00:00.0 +0100\n+++ x.c\t2024-01-02\n"
      "@@ -1 +1 @@\n-a\n+b\n-- \n2.39.5\n\n");
  EXPECT_EQ(file.old_path, "x.c");
  EXPECT_EQ(file.hunks.front().lines, (std::vector<PatchLine>{{'-', "a"}, {'+', "b"}}));
  EXPECT_EQ(file.patch_line, 6U);
}

TEST(Patch, ReadsManyFiles) {
  const Patch patch = parsed(
      "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n"
      "diff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"
      "--- z\n+++ z\n@@ -1 +1 @@\n-a\n+b\n");
  ASSERT_EQ(patch.files.size(), 3U);
  EXPECT_EQ(patch.files[0].hunks.size(), 2U);
  EXPECT_EQ(patch.files[1].new_path, "y");
  EXPECT_EQ(patch.files[2].new_path, "z");
  EXPECT_TRUE(patch.notes.empty());
}

TEST(Patch, ReadsCreationAndDeletion) {
  const FilePatch created = only_file(
      "diff --git a/n b/n\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 "
      "@@\n+a\n+b\n");
  EXPECT_EQ(created.kind, PatchKind::kCreate);
  EXPECT_EQ(created.old_path, "");
  EXPECT_EQ(created.new_path, "n");
  EXPECT_EQ(created.new_mode, 0100755U);
  EXPECT_EQ(created.hunks.front().old_start, 1U);
  const FilePatch deleted = only_file("--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
  EXPECT_EQ(deleted.kind, PatchKind::kDelete);
  EXPECT_EQ(deleted.old_path, "n");
  EXPECT_EQ(deleted.new_path, "");
}

TEST(Patch, ReadsCreationAndDeletionOfEmptyFiles) {
  EXPECT_EQ(only_file("diff --git a/e f b/e f\nnew file mode 100644\nindex 0000000..e69de29\n").new_path,
            "e f");
  EXPECT_EQ(only_file("diff --git a/e b/e\ndeleted file mode 100644\nindex e69de29..0000000\n").kind,
            PatchKind::kDelete);
}

TEST(Patch, RecognizesMissingFilesByTheirTimeStamp) {
  const FilePatch created = only_file(
      "diff -urN old/n new/n\n--- old/n\t1970-01-01 01:00:00.000000000 +0100\n+++ new/n\t2024-01-01\n@@ -0,0 "
      "+1 @@\n+a\n");
  EXPECT_EQ(created.kind, PatchKind::kCreate);
  EXPECT_EQ(created.new_path, "n");
}

TEST(Patch, ReadsRenamesCopiesAndModes) {
  const Patch patch = parsed(
      "diff --git a/old name b/new name\nsimilarity index 100%\nrename from old name\nrename to new name\n"
      "diff --git a/x b/y\nsimilarity index 90%\ncopy from x\ncopy to y\nindex 1..2 100644\n--- a/x\n+++ "
      "b/y\n"
      "@@ -1 +1 @@\n-a\n+b\n"
      "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n");
  ASSERT_EQ(patch.files.size(), 3U);
  EXPECT_EQ(patch.files[0].kind, PatchKind::kRename);
  EXPECT_EQ(patch.files[0].old_path, "old name");
  EXPECT_EQ(patch.files[0].new_path, "new name");
  EXPECT_EQ(patch.files[1].kind, PatchKind::kCopy);
  EXPECT_EQ(patch.files[1].hunks.size(), 1U);
  EXPECT_EQ(patch.files[2].kind, PatchKind::kModify);
  EXPECT_EQ(patch.files[2].old_mode, 0100644U);
  EXPECT_EQ(patch.files[2].new_mode, 0100755U);
}

TEST(Patch, ReadsQuotedPaths) {
  EXPECT_EQ(
      only_file(
          "--- \"a/\\303\\244 \\\"q\\\".txt\"\n+++ \"b/\\303\\244 \\\"q\\\".txt\"\n@@ -1 +1 @@\n-a\n+b\n")
          .new_path,
      "ä \"q\".txt");
  EXPECT_EQ(only_file("diff --git \"a/\\t\" \"b/\\t\"\nnew file mode 100644\n").new_path, "\t");
  EXPECT_THAT(complaint("--- \"a/\\q\"\n+++ \"b/\\q\"\n@@ -1 +1 @@\n-a\n+b\n"),
              ::testing::HasSubstr("Patch line 1: expected a file name"));
}

TEST(Patch, StripsOnlyRealPrefixes) {
  constexpr std::string_view kHunk = "@@ -1 +1 @@\n-a\n+b\n";
  const auto path = [&](std::string_view header) { return only_file(concat(header, kHunk)).new_path; };
  EXPECT_EQ(path("--- a/x\n+++ b/x\n"), "x");
  EXPECT_EQ(path("--- a/x\n+++ a/x\n"), "x");
  EXPECT_EQ(path("--- a/a/x\n+++ a/a/x\n"), "a/x");
  EXPECT_EQ(path("--- x\n+++ x\n"), "x");
  EXPECT_EQ(path("--- a/x\n+++ x\n"), "x");
  EXPECT_EQ(path("--- src/x.orig\n+++ src/x\n"), "src/x");
  EXPECT_EQ(path("--- old/src/x\n+++ new/src/x\n"), "src/x");
  EXPECT_EQ(path("diff --git i/x w/x\n--- i/x\n+++ w/x\n"), "x");
  EXPECT_EQ(path("diff --git c/x c/x\n--- c/x\n+++ c/x\n"), "c/x");
  EXPECT_EQ(only_file("diff --git b/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n")
                .new_path,
            "b/x");
}

TEST(Patch, ReadsHeadersThatOtherProgramsWrite) {
  constexpr std::string_view kHunk = "@@ -1 +1 @@\n-a\n+b\n";
  const auto path = [&](std::string_view header) { return only_file(concat(header, kHunk)).new_path; };
  EXPECT_EQ(path("--- x\n+++ x.new\n"), "x");
  EXPECT_EQ(path("--- x~\n+++ x\n"), "x");
  EXPECT_EQ(path("--- a/x 2024-03-01 10:20:30\n+++ b/x 2024-03-01 10:20:31.123456 +0100\n"), "x");
  EXPECT_EQ(path("--- a/my file 2024-03-01 10:20:30\n+++ b/my file 2024-03-01 10:20:31\n"), "my file");
  EXPECT_EQ(path("--- a/2024-03-01 notes\n+++ b/2024-03-01 notes\n"), "2024-03-01 notes");
  EXPECT_EQ(path("+++ b/x\n"), "x");
  EXPECT_EQ(path("diff --git a/x b/x\n+++ b/x\n"), "x");
  EXPECT_EQ(path("diff --git a/x b/x\nindex 1..2 100644\n"), "x");
  EXPECT_EQ(path("Index: a/x\n===\n--- a/x\n+++ a/x\n"), "x");
}

TEST(Patch, RecognizesNewFilesByTheRangeOfTheirOnlyHunk) {
  EXPECT_TRUE(only_file("--- a/n\n+++ b/n\n@@ -0,0 +1 @@\n+x\n").may_create);
  EXPECT_FALSE(only_file("--- a/n\n+++ b/n\n@@ -0,0 +1 @@\n+x\n@@ -5,0 +7 @@\n+y\n").may_create);
  EXPECT_FALSE(only_file("--- a/n\n+++ b/n\n@@ -1 +1 @@\n-w\n+x\n").may_create);
}

TEST(Patch, RefusesHunksThatChangeNothing) {
  EXPECT_EQ(complaint("--- x\n+++ x\n@@ -1,2 +1,2 @@\n a\n b\n"),
            "Patch line 3: hunk 1 of x changes nothing: none of its lines starts with + or -.");
}

TEST(Patch, RefusesAGitHeaderOfTwoFiles) {
  EXPECT_EQ(complaint("diff --git a/x b/y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"),
            "Patch line 1: the header names two files, `x` and `y`.");
}

TEST(Patch, ReadsTheOtherNameOfAHeader) {
  const FilePatch file = only_file("--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n");
  EXPECT_EQ(file.old_path + " " + file.new_path + " " + file.other_path, "y y x");
}

TEST(Patch, CutsDatesAndRevisionsThatDiffer) {
  for (const auto& [one, other] : {std::pair{"a/k 2024-01-01", "b/k 2024-01-02"},
                                   {"k Mon Jan  1 10:00:00 2024", "k Tue Jan  2 10:00:00 2024"},
                                   {"k 2024-01-01T10:00:00Z", "k 2024-01-02T10:00:00Z"},
                                   {"k (revision 12)", "k (working copy)"},
                                   {"a//k", "b//k"}}) {
    const FilePatch file = only_file(concat("--- ", one, "\n+++ ", other, "\n@@ -1 +1 @@\n-a\n+b\n"));
    EXPECT_EQ(file.new_path + file.other_path, "k") << one;
  }
}

TEST(Patch, ReadsMissingFinalNewlines) {
  const FilePatch file =
      only_file("--- x\n+++ x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ Kein Zeilenende\n");
  EXPECT_EQ(file.hunks.front().lines, (std::vector<PatchLine>{{'-', "a", false}, {'+', "b", false}}));
  EXPECT_THAT(complaint("--- x\n+++ x\n@@ -1,2 +1 @@\n-a\n\\ No newline at end of file\n b\n"),
              ::testing::HasSubstr("`-a`"));
}

TEST(Patch, KeepsCarriageReturnsOfPatchedFiles) {
  const Patch patch = parsed("--- x\n+++ x\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n");
  EXPECT_EQ(patch.files.front().hunks.front().lines,
            (std::vector<PatchLine>{{' ', "a\r"}, {'-', "b\r"}, {'+', "c\r"}}));
  EXPECT_TRUE(patch.notes.empty());
}

TEST(Patch, DropsCarriageReturnsOfThePatchItself) {
  const Patch patch = parsed("--- a/x\r\n+++ b/x\r\n@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+c\r\n");
  EXPECT_EQ(patch.files.front().new_path, "x");
  EXPECT_EQ(patch.files.front().hunks.front().lines,
            (std::vector<PatchLine>{{' ', "a"}, {'-', "b"}, {'+', "c"}}));
  EXPECT_EQ(patch.notes, std::vector<std::string>{"The patch has CRLF line ends; every file keeps its own."});
  EXPECT_EQ(only_file("*** Begin Patch\r\n*** Add File: x\r\n+a\r\n*** End Patch\r\n").hunks.front().lines,
            (std::vector<PatchLine>{{'+', "a"}}));
}

TEST(Patch, RefusesBinaryPatches) {
  EXPECT_EQ(complaint("diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZ\n"),
            "Patch line 3: binary patches are not supported, found `GIT binary patch`.");
  EXPECT_EQ(complaint("diff --git a/x b/x\nBinary files a/x and b/x differ\n"),
            "Patch line 2: binary patches are not supported, found `Binary files a/x and b/x differ`.");
  EXPECT_THAT(complaint("Binary files a/x and b/x differ\n"), ::testing::HasSubstr("Patch line 1: binary"));
}

TEST(Patch, RefusesOtherKindsOfDiffs) {
  EXPECT_THAT(complaint("*** x\n--- x\n***************\n*** 1 ****\n"), ::testing::HasSubstr("context diff"));
  EXPECT_THAT(complaint("diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,2 -1,2 +1,3 @@@\n"),
              ::testing::HasSubstr("merge diff"));
  EXPECT_THAT(complaint("--- a/x\n+++ b/x\n@@@ -1,2 -1,2 +1,3 @@@\n  a\n"),
              ::testing::HasSubstr("merge diff"));
  EXPECT_THAT(complaint(""), ::testing::HasSubstr("changes no file"));
  EXPECT_THAT(complaint("just words\n"), ::testing::HasSubstr("no file header"));
}

TEST(Patch, CorrectsWrongCountsAndReportsIt) {
  const Patch patch = parsed("--- x\n+++ x\n@@ -5,9 +5,2 @@\n a\n-b\n+c\n+d\n@@ -20 +21 @@\n-e\n+f\n");
  ASSERT_EQ(patch.files.front().hunks.size(), 2U);
  EXPECT_EQ(patch.files.front().hunks[0].lines,
            (std::vector<PatchLine>{{' ', "a"}, {'-', "b"}, {'+', "c"}, {'+', "d"}}));
  EXPECT_EQ(patch.files.front().hunks[0].old_start, 5U);
  EXPECT_EQ(
      patch.notes,
      std::vector<std::string>{
          "Patch line 3: hunk 1 of x (`@@ -5,9 +5,2 @@`) announces 9 old and 2 new lines, but 2 old and "
          "3 new lines follow; its lines were used."});
}

TEST(Patch, ReportsIgnoredLinesAfterAHunk) {
  const std::string exact = "--- x\n+++ x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
  EXPECT_EQ(parsed(exact + " not there\n").notes,
            std::vector<std::string>{
                "Patch line 7: 1 line behind hunk 1 of x, more than its header announces, was ignored."});
  EXPECT_EQ(parsed(exact + " \n\nAnd that was it.\n").notes, std::vector<std::string>());
}

TEST(Patch, ReportsWrongCountsWhenStrict) {
  const PatchParseOptions strict{.lenient_counts = false};
  EXPECT_EQ(complaint("--- x\n+++ x\n@@ -5,9 +5,2 @@\n a\n-b\n+c\n+d\n", strict),
            "Patch line 3: hunk 1 of x (`@@ -5,9 +5,2 @@`) announces 9 old and 2 new lines, but 2 old and 3 "
            "new lines follow.");
  EXPECT_THAT(complaint("--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n+c\n", strict),
              ::testing::HasSubstr("but 1 old and 2 new lines follow"));
  EXPECT_EQ(complaint("--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n", strict), "no complaint");
}

TEST(Patch, CorrectsMiscountedHunksBeforeTheNextFile) {
  const Patch patch =
      parsed("--- x\n+++ x\n@@ -1,3 +1,3 @@\n-a\n+b\n\n\n--- y\n+++ y\n@@ -1 +1 @@\n-a\n+b\n");
  ASSERT_EQ(patch.files.size(), 2U);
  EXPECT_EQ(patch.files[0].hunks.front().lines.size(), 2U + 2U);  // the counts include the empty lines
  const Patch other =
      parsed("--- x\n+++ x\n@@ -1,9 +1,9 @@\n-a\n+b\n\n\n--- y\n+++ y\n@@ -1 +1 @@\n-a\n+b\n");
  EXPECT_EQ(other.files[0].hunks.front().lines.size(), 2U);
  const Patch mail = parsed("--- x\n+++ x\n@@ -1,9 +1,9 @@\n-a\n+b\n-- \n2.39.5\n");
  EXPECT_EQ(mail.files[0].hunks.front().lines.size(), 2U);
}

TEST(Patch, PrefersCountsOverTheFormOfLines) {
  const FilePatch file = only_file("--- x\n+++ x\n@@ -1 +1 @@\n--- a comment\n+++ b\n@@ -9 +9 @@\n-a\n+b\n");
  EXPECT_EQ(file.hunks.size(), 2U);
  EXPECT_EQ(file.hunks[0].lines, (std::vector<PatchLine>{{'-', "-- a comment"}, {'+', "++ b"}}));
}

TEST(Patch, AcceptsContextLinesWithoutTheirSpace) {
  const FilePatch file = only_file("--- x\n+++ x\n@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n");
  EXPECT_EQ(file.hunks.front().lines,
            (std::vector<PatchLine>{{' ', "a"}, {' ', ""}, {'-', "b"}, {'+', "c"}}));
}

TEST(Patch, ReadsHunksWithoutNumbers) {
  const Patch patch = parsed("--- x\n+++ x\n@@ ... @@\n-a\n+b\n@@ def f():\n-c\n+d\n");
  ASSERT_EQ(patch.files.front().hunks.size(), 2U);
  EXPECT_EQ(patch.files.front().hunks[0].old_start, 0U);
  EXPECT_EQ(patch.files.front().hunks[1].anchors, std::vector<std::string>{"def f():"});
  EXPECT_EQ(patch.notes.size(), 2U);
}

TEST(Patch, ReportsTheInvalidLine) {
  EXPECT_EQ(complaint("--- x\n+++ x\n@@ -1,3 +1,3 @@\n a\noops\n-b\n+c\n"),
            "Patch line 5: expected a line of hunk 1 of x, which starts with a space, + or -, found `oops`.");
  EXPECT_EQ(complaint("@@ -1 +1 @@\n-a\n+b\n"),
            "Patch line 1: the hunk `@@ -1 +1 @@` does not belong to a file.");
  EXPECT_EQ(complaint("--- x\n@@ -1 +1 @@\n-a\n+b\n"),
            "Patch line 2: expected `+++ b/path` after `--- x`, found `@@ -1 +1 @@`.");
  EXPECT_EQ(complaint("--- x\n+++ x\n@@ -1,a +1 @@\n-a\n"),
            "Patch line 3: expected a hunk header of the form `@@ -line,count +line,count @@`, found `@@ "
            "-1,a +1 @@`.");
  EXPECT_THAT(complaint("--- x\n+++ x\n@@ -99999999999999999999 +1 @@\n-a\n"),
              ::testing::HasSubstr("hunk header"));
  EXPECT_EQ(complaint("--- x\n+++ x\nwords\n"),
            "Patch line 3: expected a hunk of x (`@@ -line,count +line,count @@`), found `words`.");
  EXPECT_THAT(complaint("--- x\n+++ x\n@@ -1 +1 @@\n"),
              ::testing::HasSubstr("has no lines, found the end of the patch"));
  EXPECT_THAT(complaint("--- x\n+++ x\n@@ -1 +1 @@\n\\ No newline\n-a\n+b\n"),
              ::testing::HasSubstr("Patch line 4"));
  EXPECT_THAT(complaint("--- /dev/null\n+++ x\n@@ -1 +1 @@\n-a\n+b\n"),
              ::testing::HasSubstr("creates x, so all lines"));
  EXPECT_THAT(complaint("diff --git a/x b/x\nold mode rw-r--r--\n"),
              ::testing::HasSubstr("expected a mode such as 100644"));
}

TEST(Patch, ReadsTheBeginPatchForm) {
  const Patch patch = parsed(
      "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: n.txt\n+one\n+\n*** Delete File: d.txt\n"
      "*** Update File: old.py\n*** Move to: new.py\n@@ class A\n@@ def f(self):\n a\n-b\n+c\n\n "
      "d\n@@\n-x\n+y\n"
      "*** End of File\n\n*** Update File: p\n-q\n+r\n*** End Patch\nEOF\n");
  const std::vector<FilePatch> expected{
      {.form = PatchForm::kBeginPatch,
       .kind = PatchKind::kCreate,
       .new_path = "n.txt",
       .hunks = {{.old_start = 1, .lines = {{'+', "one"}, {'+', ""}}, .patch_line = 4}},
       .patch_line = 3},
      {.form = PatchForm::kBeginPatch, .kind = PatchKind::kDelete, .old_path = "d.txt", .patch_line = 6},
      {.form = PatchForm::kBeginPatch,
       .kind = PatchKind::kRename,
       .old_path = "old.py",
       .new_path = "new.py",
       .hunks = {{.lines = {{' ', "a"}, {'-', "b"}, {'+', "c"}, {' ', ""}, {' ', "d"}},
                  .anchors = {"class A", "def f(self):"},
                  .patch_line = 9},
                 {.lines = {{'-', "x"}, {'+', "y"}}, .at_end_of_file = true, .patch_line = 16}},
       .patch_line = 7},
      {.form = PatchForm::kBeginPatch,
       .kind = PatchKind::kModify,
       .old_path = "p",
       .new_path = "p",
       .hunks = {{.lines = {{'-', "q"}, {'+', "r"}}, .patch_line = 22}},
       .patch_line = 21}};
  EXPECT_EQ(patch.files, expected);
}

TEST(Patch, AcceptsLineNumbersInTheBeginPatchForm) {
  const FilePatch file =
      only_file("*** Begin Patch\n*** Update File: x\n@@ -7,1 +7,1 @@ f\n-a\n+b\n*** End Patch\n");
  EXPECT_EQ(file.hunks.front().old_start, 7U);
  EXPECT_TRUE(file.hunks.front().anchors.empty());
}

TEST(Patch, AcceptsPaddingAroundTheLinesOfABeginPatch) {
  constexpr std::string_view kBody = "*** Update File: x\n@@\n-a\n+b\n";
  const FilePatch plain = only_file(concat("*** Begin Patch\n", kBody, "*** End Patch\n"));
  for (const auto& [begin, end] : {std::pair(" *** Begin Patch\n", "*** End Patch \n"),
                                   {"*** Begin Patch \n", " *** End Patch\n"},
                                   {"\t*** Begin Patch\n", "  *** End Patch"},
                                   {"<<'EOF'\n*** Begin Patch\n", "  *** End Patch\nEOF\n"}})
    EXPECT_EQ(only_file(concat(begin, kBody, end)).hunks.front().lines, plain.hunks.front().lines);
  EXPECT_EQ(
      parsed("*** Begin Patch\n*** Add File: x\n+a\n  *** Delete File: y\n  *** End Patch\n").files.size(),
      2U);
  // Among the lines of a hunk, it is a line of the file.
  const FilePatch inside =
      only_file("*** Begin Patch\n*** Update File: x\n@@\n-a\n *** End Patch\n+b\n*** End Patch\n");
  EXPECT_EQ(inside.hunks.front().lines,
            (std::vector<PatchLine>{{'-', "a"}, {' ', "*** End Patch"}, {'+', "b"}}));
}

TEST(Patch, RefusesABeginPatchFormThatWasCutOff) {
  EXPECT_EQ(complaint("*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n"),
            "Patch line 6: expected `*** End Patch`, found the end of the patch. It may have been cut off.");
}

TEST(Patch, ReportsErrorsInTheBeginPatchForm) {
  const auto inside = [](std::string_view body) {
    return complaint(concat("*** Begin Patch\n", body, "*** End Patch\n"));
  };
  EXPECT_EQ(inside("*** Update File: x\n@@\nfoo\n"),
            "Patch line 4: expected a line of hunk 1 of x, which starts with a space, + or -, found `foo`.");
  EXPECT_EQ(inside("*** Update File: x\n"),
            "Patch line 3: expected the changes to x, found `*** End Patch`.");
  EXPECT_EQ(inside("*** Update File: x\n@@\n"),
            "Patch line 3: hunk 1 of x has no lines, found `*** End Patch`.");
  EXPECT_EQ(inside("*** Add File: x\nfoo\n"),
            "Patch line 3: expected a line of the new file x, which starts with +, found `foo`.");
  EXPECT_EQ(inside("*** Delete File: x\n-a\n"),
            "Patch line 3: expected nothing after `*** Delete File: x`, found `-a`.");
  EXPECT_EQ(inside("*** Update File:\n"), "Patch line 2: expected a path behind `*** Update File:`.");
  EXPECT_THAT(inside("*** Rename File: x\n"),
              ::testing::HasSubstr("Patch line 2: expected `*** Update File: path`"));
  EXPECT_EQ(complaint("*** Update File: x\n-a\n+b\n*** End Patch\n"),
            "Patch line 1: expected `*** Begin Patch` before `*** Update File: x`.");
  EXPECT_THAT(inside(""), ::testing::HasSubstr("changes no file"));
}

TEST(Patch, KeepsEmptyLinesWithoutPlusInAnAddedFile) {
  const Patch patch = parsed("*** Begin Patch\n*** Add File: x\n+a\n\n+b\n\n*** End Patch\n");
  EXPECT_EQ(patch.files.front().hunks.front().lines,
            (std::vector<PatchLine>{{'+', "a"}, {'+', ""}, {'+', "b"}}));
  EXPECT_EQ(patch.notes.size(), 1U);
}

TEST(Patch, StaysLinearOnMaliciousPatches) {
  std::string hunks = "--- x\n+++ x\n";
  std::string headers;
  std::string empty_lines = "*** Begin Patch\n*** Update File: x\n";
  for (int n = 0; n < 100'000; ++n) {
    hunks += "@@ -1,4000000000 +1,4000000000 @@\n a\n+b\n";
    headers += "--- x\n+++ x\n@@ -1 +1 @@\n\n\n";
    empty_lines += "@@\n-a\n\n";
  }
  EXPECT_EQ(parsed(hunks).notes.size(), 21U);
  EXPECT_FALSE(parse_patch(headers + "@@").has_value());
  EXPECT_EQ(parsed(empty_lines + std::string(1'000'000, '\n') + "*** End Patch").files.front().hunks.size(),
            100'000U);
  EXPECT_EQ(parsed("--- x\n+++ x\n@@ -1 +1 @@\n-a\n" + std::string(3'000'000, '\n')).files.size(), 1U);
}

TEST(Patch, SurvivesAnyPrefixOfAPatch) {
  const std::string git =
      "diff --git \"a/x\\303\" b/y\nsimilarity index 9%\nrename from x\nrename to y\n--- a/x\n+++ b/y\n"
      "@@ -1,2 +1,2 @@ f\n a\n-b\n\\ No newline at end of file\n+c\n";
  const std::string begin =
      "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@ x\n a\n+b\n*** End of File\n*** End Patch\n";
  for (const std::string& text : {git, begin}) {
    for (std::size_t size = 0; size <= text.size(); ++size)
      (void)parse_patch(std::string_view(text).substr(0, size));
  }
}

}  // namespace
}  // namespace helve::patch
