// Patches that rename, copy, create and delete files, and those that meet symbolic links.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strings.h"
#include "tools/testing.h"

namespace helve {
namespace {

std::string rename_part(const std::string& from, const std::string& to, const std::string& body = "") {
  const std::string names = concat("--- a/", from, "\n+++ b/", to, "\n");
  return concat("diff --git a/", from, " b/", to, "\nsimilarity index 90%\nrename from ", from,
                "\nrename to ", to, "\n", body.empty() ? "" : names, body);
}

class ApplyPatchRenamesTest : public testing::ToolTest {
 protected:
  Answer apply(const std::string& patch) { return call("apply_patch", {{"patch", patch}}); }
  bool is_executable(const std::string& name) {
    struct stat status{};
    ::stat(path(name).c_str(), &status);
    return (status.st_mode & 0100) != 0;
  }
};

TEST_F(ApplyPatchRenamesTest, SwapsTwoFiles) {
  put("a", "one\n");
  put("b", "two\n");
  ::chmod(path("a").c_str(), 0755);
  const std::string patch = rename_part("a", "b", "@@ -1 +1 @@\n-one\n+1\n") + rename_part("b", "a");
  const Answer answer = apply(patch);
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_EQ(get("a") + get("b"), "two\n1\n");
  EXPECT_TRUE(is_executable("b") && !is_executable("a"));
  ASSERT_TRUE(call("undo", {}).ok());
  EXPECT_EQ(get("a") + get("b"), "one\ntwo\n");
  EXPECT_TRUE(is_executable("a") && !is_executable("b"));
}

TEST_F(ApplyPatchRenamesTest, RotatesThreeFilesInAnyOrder) {
  const std::vector<std::string> parts{rename_part("a", "b"), rename_part("b", "c"), rename_part("c", "a")};
  for (const auto& order : {std::array{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
    for (const std::string name : {"a", "b", "c"}) put(name, name);
    std::string patch;
    for (const int n : order) patch += parts[static_cast<std::size_t>(n)];
    ASSERT_TRUE(apply(patch).ok());
    EXPECT_EQ(get("a") + get("b") + get("c"), "cab");
  }
}

TEST_F(ApplyPatchRenamesTest, MovesAChainOfFilesAndOneIntoAFreedPlace) {
  put("a", "one\n");
  put("b", "two\n");
  ASSERT_TRUE(apply(rename_part("a", "b") + rename_part("b", "d/c")).ok());
  EXPECT_EQ(names(), (std::vector<std::string>{"b", "d", "d/c"}));
  EXPECT_EQ(get("b") + get("d/c"), "one\ntwo\n");
  ASSERT_TRUE(apply(rename_part("b", "e") +
                    "diff --git a/b b/b\nnew file mode 100644\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+new\n")
                  .ok());
  EXPECT_EQ(get("b") + get("e"), "new\none\n");
}

TEST_F(ApplyPatchRenamesTest, KeepsWhatIsMadeWhereARenamedFileWas) {
  const std::string copy = "diff --git a/c b/a\nsimilarity index 100%\ncopy from c\ncopy to a\n";
  const std::string create =
      "diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+C\n";
  const std::string rename = rename_part("a", "d");
  for (const std::string& patch : {copy + rename, rename + copy, create + rename, rename + create}) {
    put("a", "A\n");
    put("c", "C\n");
    ASSERT_TRUE(apply(patch).ok()) << patch;
    EXPECT_EQ(get("a") + get("c") + get("d"), "C\nC\nA\n") << patch;
    ASSERT_TRUE(call("undo", {}).ok());
    EXPECT_EQ(names(), (std::vector<std::string>{"a", "c"})) << patch;
    EXPECT_EQ(get("a"), "A\n") << patch;
  }
}

TEST_F(ApplyPatchRenamesTest, TakesTheSecondNameOfAHeaderIfOnlyThatExists) {
  const std::string patch = "--- a/zzz\n+++ b/k\n@@ -1 +1 @@\n-a\n+b\n";
  put("k", "a\n");
  ASSERT_TRUE(apply(patch).ok());
  EXPECT_EQ(get("k"), "b\n");
  put("k", "a\n");
  put("zzz", "a\n");
  EXPECT_EQ(apply(patch).result.error().message, "Patch line 1: the header names two files, `zzz` and `k`.");
  EXPECT_EQ(get("k") + get("zzz"), "a\na\n");
}

TEST_F(ApplyPatchRenamesTest, MakesOneFileAtMostWhereARenamedFileWas) {
  put("a", "A\n");
  const std::string create = "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n";
  const Answer answer = apply(concat(create, "+one\n", create, "+two\n", rename_part("a", "d")));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.result.error().code, ErrorCode::kConflict);
  EXPECT_EQ(names(), std::vector<std::string>{"a"});
}

TEST_F(ApplyPatchRenamesTest, NeverOverwritesAFileThatStays) {
  put("a", "one\n");
  put("b", "two\n");
  put("c", "three\n");
  EXPECT_EQ(apply(rename_part("a", "b")).result.error().code, ErrorCode::kConflict);
  EXPECT_EQ(apply(rename_part("b", "c") + rename_part("c", "b") + rename_part("a", "c")).result.error().code,
            ErrorCode::kConflict);
  EXPECT_EQ(get("a") + get("b") + get("c"), "one\ntwo\nthree\n");
}

TEST_F(ApplyPatchRenamesTest, CopiesTheFileAsItWasBeforeThePatch) {
  const std::string change = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
  const std::string copy = "diff --git a/a b/n\nsimilarity index 90%\ncopy from a\ncopy to n\n";
  for (const std::string& patch : {change + copy, copy + change}) {
    put("a", "one\ntwo\n");
    ::chmod(path("a").c_str(), 0755);
    ASSERT_TRUE(apply(patch).ok());
    EXPECT_EQ(get("a") + get("n"), "one\n2\none\ntwo\n");
    EXPECT_TRUE(is_executable("n"));
    ::unlink(path("n").c_str());
  }
}

TEST_F(ApplyPatchRenamesTest, PartsOfABeginPatchFollowEachOther) {
  put("a", "one\n");
  ASSERT_TRUE(
      apply("*** Begin Patch\n*** Update File: a\n@@\n-one\n+two\n*** Update File: a\n*** Move to: b\n@@\n"
            "-two\n+three\n*** Update File: b\n*** Move to: a\n@@\n-three\n+four\n*** End Patch\n")
          .ok());
  EXPECT_EQ(names(), (std::vector<std::string>{"a"}));
  EXPECT_EQ(get("a"), "four\n");
}

TEST_F(ApplyPatchRenamesTest, CreatesAFileThatHasBothNames) {
  ASSERT_TRUE(apply("--- a/n\n+++ b/n\n@@ -0,0 +1 @@\n+new\n").ok());
  EXPECT_EQ(get("n"), "new\n");
  EXPECT_EQ(apply("--- a/n\n+++ b/n\n@@ -0,0 +1 @@\n+new\n").result.error().code, ErrorCode::kConflict);
  EXPECT_EQ(get("n"), "new\n");
}

TEST_F(ApplyPatchRenamesTest, DeletesAnEmptyFileOnlyIfItIsEmpty) {
  const std::string patch = "diff --git a/e b/e\ndeleted file mode 100644\nindex e69de29..0000000\n";
  put("e", "precious\n");
  EXPECT_THAT(apply(patch).result.error().message,
              ::testing::HasSubstr("lines that the patch does not remove"));
  EXPECT_EQ(get("e"), "precious\n");
  put("e", "");
  ASSERT_TRUE(apply(patch).ok());
  EXPECT_TRUE(names().empty());
  put("e", "precious\n");
  ASSERT_TRUE(apply("*** Begin Patch\n*** Delete File: e\n*** End Patch\n").ok());
}

TEST_F(ApplyPatchRenamesTest, NeverWritesThroughALink) {
  put("f", "one\n");
  ASSERT_EQ(::symlink("missing", path("l").c_str()), 0);
  ASSERT_EQ(::symlink("f", path("k").c_str()), 0);
  for (const std::string patch :
       {"--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+x\n", "--- a/l\n+++ b/l\n@@ -0,0 +1 @@\n+x\n",
        "*** Begin Patch\n*** Add File: l\n+x\n*** End Patch\n",
        "*** Begin Patch\n*** Update File: f\n*** Move to: l\n*** End Patch\n",
        "diff --git a/f b/l\ncopy from f\ncopy to l\n", "diff --git a/f b/l\nrename from f\nrename to l\n",
        "--- a/k\n+++ b/k\n@@ -1 +1 @@\n-one\n+two\n", "diff --git a/k b/q\nrename from k\nrename to q\n",
        "diff --git a/k b/q\ncopy from k\ncopy to q\n",
        "diff --git a/k b/k\ndeleted file mode 100644\n--- a/k\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"}) {
    const Answer answer = apply(patch);
    ASSERT_FALSE(answer.ok()) << patch;
    EXPECT_THAT(answer.result.error().message, ::testing::HasSubstr("is a symbolic link")) << patch;
    EXPECT_TRUE(exists("k") && exists("l") && !exists("missing") && !exists("q")) << patch;
    EXPECT_EQ(get("f"), "one\n");
  }
  // Codex follows the link of a file that is there.
  ASSERT_TRUE(apply("*** Begin Patch\n*** Update File: k\n@@\n-one\n+two\n*** End Patch\n").ok());
  EXPECT_EQ(get("f"), "two\n");
}

TEST_F(ApplyPatchRenamesTest, PatchesClassicMacFilesByTheirLines) {
  put("mac.txt", "one\rtwo\rthree\r");
  ASSERT_TRUE(apply("--- a/mac.txt\n+++ b/mac.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2.5\n three\n").ok());
  EXPECT_EQ(get("mac.txt"), "one\r2\r2.5\rthree\r");
}

}  // namespace
}  // namespace helve
