#include "patch/diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "patch/diff_testing.h"

namespace helve::patch {
namespace {

std::string hunks_of(std::string_view old_text, std::string_view new_text, std::size_t context_lines = 3) {
  return unified_diff(old_text, new_text, {.context_lines = context_lines}).text;
}

// Builds the new text from the old one and the edits.
std::string follow(std::string_view old_text, std::string_view new_text, const std::vector<LineEdit>& edits) {
  std::string out;
  std::size_t at = 0;
  for (const LineEdit& edit : edits) {
    out += old_text.substr(at, edit.before.offset - at);
    out += new_text.substr(edit.after.offset, edit.after.bytes);
    at = edit.before.end_offset();
  }
  return out.append(old_text.substr(at));
}

TEST(Diff, EqualTextsHaveNoDifference) {
  EXPECT_TRUE(diff_lines("a\nb\n", "a\nb\n").empty());
  EXPECT_TRUE(diff_lines("", "").empty());
  EXPECT_EQ(unified_diff("a\n", "a\n", {.old_path = "x", .new_path = "x"}).text, "");
}

TEST(Diff, GivesLinesAndBytesOfAnEdit) {
  const std::vector<LineEdit> expected{{{1, 1, 2, 3}, {1, 2, 2, 6}}, {{3, 0, 7, 0}, {4, 1, 10, 2}}};
  EXPECT_EQ(diff_lines("a\nbb\nc\nd\n", "a\nBB\nB2\nc\nx\nd\n"), expected);
}

TEST(Diff, WritesHunksAsGitDoes) {
  const UnifiedDiff diff = unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
                                        {.old_path = "dir/a.txt", .new_path = "dir/a.txt"});
  EXPECT_EQ(diff.text,
            "--- a/dir/a.txt\n+++ b/dir/a.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  EXPECT_EQ(diff.added_lines, 1U);
  EXPECT_EQ(diff.removed_lines, 1U);
  EXPECT_FALSE(diff.is_cut());
}

TEST(Diff, JoinsHunksWhoseContextTouches) {
  EXPECT_EQ(hunks_of("a\n1\n2\nb\n", "A\n1\n2\nB\n", 1), "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n-b\n+B\n");
  EXPECT_EQ(hunks_of("a\n1\n2\n3\nb\n", "A\n1\n2\n3\nB\n", 1),
            "@@ -1,2 +1,2 @@\n-a\n+A\n 1\n@@ -4,2 +4,2 @@\n 3\n-b\n+B\n");
  EXPECT_EQ(hunks_of("a\nb\n", "A\nb\n", 0), "@@ -1 +1 @@\n-a\n+A\n");
  EXPECT_EQ(hunks_of("a\nb\n", "a\nx\nb\n", 0), "@@ -1,0 +2 @@\n+x\n");
}

TEST(Diff, MarksMissingFinalNewlines) {
  EXPECT_EQ(hunks_of("a\nb", "a\nb\n"), "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
  EXPECT_EQ(hunks_of("a\nb\n", "a\nb"), "@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n");
  EXPECT_EQ(hunks_of("a\nb", "A\nb"), "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n");
}

TEST(Diff, KeepsCarriageReturnsAndForeignBytes) {
  EXPECT_EQ(hunks_of("a\r\nb\r\n", "a\r\nb\n"), "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+b\n");
  EXPECT_EQ(hunks_of("\xFF\n", "\xFE\n"), "@@ -1 +1 @@\n-\xFF\n+\xFE\n");
}

TEST(Diff, NamesDevNullForCreatedAndDeletedFiles) {
  EXPECT_EQ(unified_diff("", "a\n", {.new_path = "n"}).text, "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(unified_diff("a\nb\n", "", {.old_path = "n"}).text,
            "--- a/n\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n");
}

TEST(Diff, QuotesPathsThatWouldBreakTheHeader) {
  EXPECT_TRUE(unified_diff("a\n", "b\n", {.old_path = "a b", .new_path = "ä"})
                  .text.starts_with("--- a/a b\t\n+++ b/ä\n"));
  EXPECT_TRUE(unified_diff("a\n", "b\n", {.old_path = "a\"b\n", .new_path = "\xE4"})
                  .text.starts_with("--- \"a/a\\\"b\\012\"\n+++ \"b/\\344\"\n"));
}

TEST(Diff, PlacesAnAddedFunctionReadably) {
  const std::string old_text = "int f() {\n  return 1;\n}\n\nint h() {\n  return 3;\n}\n";
  const std::string new_text =
      "int f() {\n  return 1;\n}\n\nint g() {\n  return 2;\n}\n\nint h() {\n  return 3;\n}\n";
  EXPECT_EQ(hunks_of(old_text, new_text, 1),
            "@@ -4,2 +4,6 @@\n \n+int g() {\n+  return 2;\n+}\n+\n int h() {\n");
}

TEST(Diff, CutsLongOutputAndReportsHowMuchIsMissing) {
  const UnifiedDiff diff = unified_diff("a\nb\nc\nd\n", "A\nB\nC\nD\n", {.max_lines = 4});
  EXPECT_EQ(diff.text, "@@ -1,3 +0,0 @@\n-a\n-b\n-c\n");
  EXPECT_EQ(diff.lines_left_out, 5U);
  EXPECT_EQ(diff.added_lines, 4U);
  const UnifiedDiff bytes = unified_diff(std::string(1000, 'x'), std::string(1000, 'y'), {.max_bytes = 100});
  EXPECT_EQ(bytes.text, "");
  EXPECT_EQ(bytes.lines_left_out, 5U);
}

TEST(Diff, CountsTheSameTotalForAnyLimit) {
  std::mt19937 random(kSeed);
  const std::string old_text = random_text(random, 200, 50);
  const std::string new_text = with_random_edits(random, old_text, 50);
  const std::string whole = hunks_of(old_text, new_text);
  const auto total = static_cast<std::size_t>(std::ranges::count(whole, '\n'));
  for (std::size_t bound = 0; bound <= total; ++bound) {
    const UnifiedDiff diff = unified_diff(old_text, new_text, {.max_lines = bound});
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(diff.text, '\n')) + diff.lines_left_out, total);
  }
}

// The edits produce the new text, are in order and separate, and have the right lines and bytes.
void check_edits(const std::string& old_text, const std::string& new_text) {
  const std::vector<LineEdit> edits = diff_lines(old_text, new_text);
  ASSERT_EQ(follow(old_text, new_text, edits), new_text);
  std::size_t last = 0;
  for (std::size_t n = 0; n < edits.size(); ++n) {
    ASSERT_TRUE(n == 0 || edits[n].before.first_line > last);
    last = edits[n].before.end_line();
    for (const auto& [text, span] : {std::pair{&old_text, edits[n].before}, {&new_text, edits[n].after}}) {
      const auto lines = std::ranges::count(std::string_view(*text).substr(0, span.offset), '\n');
      ASSERT_EQ(static_cast<std::size_t>(lines), span.first_line);
    }
  }
}

TEST(Diff, EditsProduceTheNewText) {
  std::cout << "seed " << kSeed << "\n";
  std::mt19937 random(kSeed);
  for (int round = 0; round < 3000 && !HasFatalFailure(); ++round) {
    const unsigned kinds = 1 + static_cast<unsigned>(random() % 40);
    const std::string old_text = random_text(random, random() % 60, kinds);
    const std::string new_text = round % 3 == 0 ? random_text(random, random() % 60, kinds)
                                                : with_random_edits(random, old_text, kinds);
    SCOPED_TRACE(round);
    check_edits(old_text, new_text);
  }
}

TEST(Diff, EditsFarApartProduceTheNewText) {
  std::cout << "seed " << kSeed << "\n";
  std::mt19937 random(kSeed);
  for (int round = 0; round < 200 && !HasFatalFailure(); ++round) {
    const unsigned kinds = round % 4 == 0 ? 1 + static_cast<unsigned>(random() % 3) : 2000;
    const std::string old_text = random_text(random, 3000 + random() % 100, kinds);
    std::string new_text = old_text;
    for (std::size_t edits = 1 + random() % 6; edits > 0; --edits) {
      const std::size_t from = new_text.find('\n', random() % new_text.size()) + 1;  // 0 after the last one
      const std::string inserted =
          random_text(random, random() % 3 == 0 ? random() % 150 : random() % 4, kinds);
      new_text.replace(from, random() % 2 == 0 ? 0 : random() % 200, inserted + "\n");
    }
    SCOPED_TRACE(round);
    check_edits(old_text, new_text);
  }
}

TEST(Diff, IsNearlyMinimal) {
  std::mt19937 random(kSeed);
  std::size_t found = 0;
  std::size_t least = 0;
  for (int round = 0; round < 300; ++round) {
    const std::string old_text = random_text(random, 40, 12);
    const std::string new_text = with_random_edits(random, old_text, 12);
    const UnifiedDiff diff = unified_diff(old_text, new_text);
    found += diff.added_lines + diff.removed_lines;
    std::vector<std::string_view> a = split(old_text, '\n');
    std::vector<std::string_view> b = split(new_text, '\n');
    std::vector<std::vector<std::size_t>> common(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) {
        common[i + 1][j + 1] = a[i] == b[j] ? common[i][j] + 1 : std::max(common[i][j + 1], common[i + 1][j]);
      }
    }
    least += a.size() + b.size() - 2 * common[a.size()][b.size()];
  }
  EXPECT_LE(found, least + least / 20);
}

TEST(Diff, IsFastOnLargeTextsWithLittleInCommon) {
  // Two frequent lines in random order have neither anchors nor a short path: the limit must apply.
  std::mt19937 random(kSeed);
  std::string a;
  std::string b;
  for (int n = 0; n < 300'000; ++n) {
    a += random() % 40 == 0 ? "x\n" : concat(random() % 500, "\n");
    b += random() % 40 == 0 ? "x\n" : concat(random() % 500, "\n");
  }
  EXPECT_EQ(follow(a, b, diff_lines(a, b)), b);
  std::string c;
  for (int n = 0; n < 100'000; ++n) c += concat("only here ", n, "\n");
  EXPECT_EQ(diff_lines(a, c).size(), 1U);
}

TEST(Diff, GitAndPatchApplyItsOutput) {
  const bool has_git = is_installed("git");
  const bool has_patch = is_installed("patch");
  if (!has_git && !has_patch) GTEST_SKIP() << "neither git nor patch is installed";
  std::cout << "seed " << kSeed << "\n";
  std::mt19937 random(kSeed);
  const CommandDirectory directory;
  for (int round = 0; round < 60; ++round) {
    const unsigned kinds = 2 + static_cast<unsigned>(random() % 60);
    const bool creates = round % 10 == 0;
    const bool deletes = round % 10 == 1;
    const std::string old_text = creates ? "" : random_text(random, 1 + random() % 80, kinds);
    const std::string new_text =
        deletes ? "" : with_random_edits(random, creates ? "x\ny\n" : old_text, kinds);
    if (old_text == new_text || (!deletes && new_text.empty()) || (!creates && old_text.empty())) continue;
    directory.write("p.diff",
                    unified_diff(old_text, new_text,
                                 {.old_path = creates ? "" : "a file", .new_path = deletes ? "" : "a file"})
                        .text);
    for (const std::string program : {"git apply p.diff", "patch -p1 -i p.diff"}) {
      if (!(program.starts_with("git") ? has_git : has_patch)) continue;
      ASSERT_EQ(directory.run("rm -f 'a file' *.orig *.rej"), 0);
      if (!creates) directory.write("a file", old_text);
      ASSERT_EQ(directory.run(program), 0) << program << " round " << round << "\n"
                                           << directory.read("output");
      ASSERT_EQ(directory.exists("a file"), !deletes) << program << " round " << round;
      ASSERT_EQ(directory.read("a file"), new_text) << program << " round " << round;
    }
  }
}

}  // namespace
}  // namespace helve::patch
