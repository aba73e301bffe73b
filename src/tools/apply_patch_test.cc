#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/strings.h"
#include "tools/testing.h"

namespace helve {
namespace {

class ApplyPatchTest : public testing::ToolTest {
 protected:
  Answer apply(const std::string& patch, bool dry_run = false) {
    JsonObject arguments{{"patch", patch}};
    if (dry_run) arguments.append("dryRun", true);
    return call("apply_patch", std::move(arguments));
  }
};

constexpr const char* kManyFiles =
    "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
    "diff --git a/new/run.sh b/new/run.sh\nnew file mode 100755\n--- /dev/null\n+++ b/new/run.sh\n@@ -0,0 +1 "
    "@@\n+echo hi\n"
    "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 "
    "@@\n-bye\n"
    "diff --git a/old.txt b/moved.txt\nsimilarity index 50%\nrename from old.txt\nrename to moved.txt\n--- "
    "a/old.txt\n+++ b/moved.txt\n"
    "@@ -1,2 +1,2 @@\n same\n-x\n+y\n";

TEST_F(ApplyPatchTest, ChangesCreatesDeletesAndRenamesAsOne) {
  put("a.txt", "one\ntwo\nthree\n");
  put("gone.txt", "bye\n");
  put("old.txt", "same\nx\n");
  const Answer answer = apply(kManyFiles);
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_EQ(answer.result->summary, "Patched 4 files (+3 −3)");
  EXPECT_EQ(names(), (std::vector<std::string>{"a.txt", "moved.txt", "new", "new/run.sh"}));
  EXPECT_EQ(get("a.txt"), "one\n2\nthree\n");
  EXPECT_EQ(get("moved.txt"), "same\ny\n");
  struct stat status{};
  ::stat(path("new/run.sh").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0111, 0111U);
  ASSERT_TRUE(call("undo", {}).ok());
  EXPECT_EQ(names(), (std::vector<std::string>{"a.txt", "gone.txt", "old.txt"}));
  EXPECT_EQ(get("a.txt") + get("gone.txt") + get("old.txt"), "one\ntwo\nthree\nbye\nsame\nx\n");
}

TEST_F(ApplyPatchTest, APatchThatFailsHalfWayLeavesNothing) {
  put("a.txt", "one\ntwo\nthree\n");
  put("gone.txt", "not what it says\n");
  put("old.txt", "same\nx\n");
  const Answer answer = apply(kManyFiles);
  EXPECT_EQ(answer.result.error().code, ErrorCode::kConflict);
  EXPECT_THAT(answer.result.error().message, ::testing::HasSubstr("gone.txt"));
  const std::string& hint = answer.result.error().hint;
  EXPECT_EQ(hint.rfind("Nothing was changed."), 0U) << hint;
  EXPECT_EQ(names(), (std::vector<std::string>{"a.txt", "gone.txt", "old.txt"}));
  EXPECT_EQ(get("a.txt"), "one\ntwo\nthree\n");
}

TEST_F(ApplyPatchTest, AcceptsTheBeginPatchForm) {
  put("a.txt", "one\ntwo\nthree\n");
  ASSERT_TRUE(apply("*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** Add File: "
                    "b.txt\n+new\n*** End Patch\n")
                  .ok());
  EXPECT_EQ(get("a.txt") + get("b.txt"), "one\n2\nthree\nnew\n");
}

TEST_F(ApplyPatchTest, ReportsOffsetAndFuzz) {
  put("a.txt", "x\ny\nz\none\ntwo\nthree\n");
  const Answer answer = apply("--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
  ASSERT_TRUE(answer.ok());
  EXPECT_THAT(answer.result->content, ::testing::HasSubstr("hunk 1 at line 4, +3 lines from where it said"));
}

TEST_F(ApplyPatchTest, AHunkThatDoesNotFitShowsWhatIsThereInstead) {
  put("a.txt", "one\nTWO!\nthree\n");
  const Answer answer = apply("--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
  EXPECT_EQ(answer.result.error().code, ErrorCode::kConflict);
  EXPECT_THAT(answer.result.error().message, ::testing::HasSubstr("TWO!"));
}

TEST_F(ApplyPatchTest, KeepsCrlfAndLegacyBytes) {
  put("crlf.txt", "one\r\ntwo\r\nthree\r\n");
  put("latin.txt", "caf\xE9 d\xE9j\xE0\ntwo\nna\xEFve\n");
  ASSERT_TRUE(apply("--- a/crlf.txt\n+++ b/crlf.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2.5\n three\n"
                    "--- a/latin.txt\n+++ b/latin.txt\n@@ -1,3 +1,3 @@\n café déjà\n-two\n+zwei\n naïve\n")
                  .ok());
  EXPECT_EQ(get("crlf.txt"), "one\r\n2\r\n2.5\r\nthree\r\n");
  EXPECT_EQ(get("latin.txt"), "caf\xE9 d\xE9j\xE0\nzwei\nna\xEFve\n");
}

TEST_F(ApplyPatchTest, DryRunTouchesNothing) {
  put("a.txt", "one\ntwo\nthree\n");
  put("gone.txt", "bye\n");
  put("old.txt", "same\nx\n");
  EXPECT_EQ(apply(kManyFiles, true).result->summary, "Dry run: the patch fits 4 files (+3 −3)");
  EXPECT_EQ(names(), (std::vector<std::string>{"a.txt", "gone.txt", "old.txt"}));
}

TEST_F(ApplyPatchTest, SeveralPartsForOneFileSeeEachOther) {
  put("a.txt", "one\ntwo\n");
  ASSERT_TRUE(apply("--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n--- a/a.txt\n+++ b/a.txt\n@@ "
                    "-1,2 +1,2 @@\n 1\n-two\n+2\n")
                  .ok());
  EXPECT_EQ(get("a.txt"), "1\n2\n");
}

TEST_F(ApplyPatchTest, CannotLeaveTheWorkspaceOrTouchProtectedPaths) {
  EXPECT_EQ(apply("--- /dev/null\n+++ b/../evil.txt\n@@ -0,0 +1 @@\n+x\n").result.error().code,
            ErrorCode::kSecurity);
  EXPECT_FALSE(apply("--- /dev/null\n+++ b/.git/hooks/pre-commit\n@@ -0,0 +1 @@\n+x\n").ok());
  EXPECT_FALSE(apply("diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 "
                     "@@\n+/etc/passwd\n\\ No newline at end of file\n")
                   .ok());
  EXPECT_TRUE(names().empty());
}

TEST_F(ApplyPatchTest, NeitherArmsNorMakesABareRepository) {
  const auto add = [](const std::string& path, const std::string& line) {
    return concat("--- /dev/null\n+++ b/", path, "\n@@ -0,0 +1 @@\n+", line, "\n");
  };
  const std::string config = add("evil/config", "[core] fsmonitor = evil");
  const std::string head = add("evil/HEAD", "ref: refs/heads/main");
  const std::string body = add("evil/objects/x", "x") + add("evil/refs/x", "x");
  for (const std::string& patch :
       {concat(config, head, body), concat(body, head, config), concat(head, config, body)}) {
    const Answer answer = apply(patch);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.result.error().code, ErrorCode::kPermissionDenied) << answer.result.error().message;
    EXPECT_TRUE(names().empty()) << "all or nothing";
  }
  EXPECT_TRUE(apply(head + body).ok());
  EXPECT_EQ(apply(config).result.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(error("write", {{"path", "evil/hooks/post-commit"}, {"content", "x"}}).code,
            ErrorCode::kPermissionDenied);
  EXPECT_EQ(error("write", {{"path", "evil/hooks/post-commit"}, {"content", "x"}, {"dryRun", true}}).code,
            ErrorCode::kPermissionDenied);
  put("evil/config", "[core]\n");
  EXPECT_EQ(error("edit", {{"path", "evil/config"}, {"oldText", "core"}, {"newText", "alias"}}).code,
            ErrorCode::kPermissionDenied);
  EXPECT_EQ(get("evil/config"), "[core]\n");
}

TEST_F(ApplyPatchTest, RefusesBinaryPatchesClearly) {
  EXPECT_THAT(apply("diff --git a/x b/x\nBinary files a/x and b/x differ\n").result.error().message,
              ::testing::HasSubstr("inary"));
}

TEST_F(ApplyPatchTest, NoReadOnlyFileIsDeleted) {
  put("locked.txt", "keep\n");
  ASSERT_EQ(::chmod(path("locked.txt").c_str(), 0444), 0);
  for (const char* patch : {"*** Begin Patch\n*** Delete File: locked.txt\n*** End Patch\n",
                            "--- a/locked.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-keep\n"}) {
    const Answer answer = apply(patch);
    ASSERT_FALSE(answer.ok()) << patch;
    EXPECT_EQ(answer.result.error().code, ErrorCode::kPermissionDenied);
    EXPECT_THAT(answer.result.error().message, ::testing::HasSubstr("locked.txt is read-only (mode 0444)"));
  }
  EXPECT_EQ(get("locked.txt"), "keep\n");
}

}  // namespace
}  // namespace helve
