#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tools/testing.h"

namespace helve {
namespace {

class WriteTest : public testing::ToolTest {
 protected:
  Answer write(const std::string& file, const std::string& text, const JsonObject& more = {}) {
    JsonObject arguments{{"path", file}, {"content", text}};
    for (const auto& [key, value] : more) arguments.append(key, value);
    return call("write", std::move(arguments));
  }
};

TEST_F(WriteTest, CreatesAFileWithItsDirectories) {
  const Answer answer = write("deep/er/a.txt", "hello\r\nworld");
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_EQ(get("deep/er/a.txt"), "hello\nworld\n");
  EXPECT_EQ(answer.result->summary, "deep/er/a.txt created (2 lines, 12 bytes)");
  EXPECT_EQ(*answer.result->data.find("created"), Json(true));
}

TEST_F(WriteTest, KeepsEncodingBomAndLineEndingsOfAnExistingFile) {
  put("crlf.txt", "\xEF\xBB\xBFone\r\ntwo\r\n");
  ASSERT_TRUE(write("crlf.txt", "eins\nzwei").ok());
  EXPECT_EQ(get("crlf.txt"),
            "\xEF\xBB\xBF"
            "eins\r\nzwei\r\n");
  put("latin.txt", "caf\xE9, d\xE9j\xE0 vu\n");
  ASSERT_TRUE(write("latin.txt", "crème").ok());
  EXPECT_EQ(get("latin.txt"), "cr\xE8me\n");
}

TEST_F(WriteTest, ShowsTheDiffOfWhatItReplaced) {
  put("a.txt", "one\ntwo\n");
  const Answer answer = write("a.txt", "one\n2\n");
  EXPECT_EQ(answer.result->summary, "a.txt overwritten (2 lines, 6 bytes, +1 −1)");
  EXPECT_THAT(answer.result->content, ::testing::HasSubstr("-two\n+2\n"));
  EXPECT_EQ(write("a.txt", "one\n2\n").result->summary, "a.txt unchanged (2 lines, 6 bytes, +0 −0)");
}

TEST_F(WriteTest, AppendsOnALineOfItsOwn) {
  put("a.txt", "one");
  ASSERT_TRUE(write("a.txt", "two", {{"mode", "append"}}).ok());
  EXPECT_EQ(get("a.txt"), "one\ntwo\n");
  ASSERT_TRUE(write("a.txt", "three\n", {{"mode", "append"}}).ok());
  EXPECT_EQ(get("a.txt"), "one\ntwo\nthree\n");
  ASSERT_TRUE(write("new.txt", "first", {{"mode", "append"}}).ok());
  EXPECT_EQ(get("new.txt"), "first\n");
}

TEST_F(WriteTest, DoesNotOverwriteWhatSomebodyElseWroteSinceItWasRead) {
  put("a.txt", "one\n");
  ASSERT_TRUE(call("read", {{"path", "a.txt"}}).ok());
  put("a.txt", "one\nprecious\n");
  const Answer refused = write("a.txt", "mine\n");
  EXPECT_EQ(refused.result.error().code, ErrorCode::kConflict);
  EXPECT_THAT(refused.result.error().message, ::testing::HasSubstr("+precious\n"));
  EXPECT_EQ(get("a.txt"), "one\nprecious\n");
  ASSERT_TRUE(call("read", {{"path", "a.txt"}}).ok());
  EXPECT_TRUE(write("a.txt", "mine\n").ok());
  EXPECT_TRUE(write("a.txt", "mine again\n").ok());  // its own write is no surprise
}

TEST_F(WriteTest, RefusesEscapesAndProtectedPaths) {
  put(".git/config", "[core]\n");
  const std::vector<std::string> refused{"../x",
                                         "/etc/x",
                                         ".git/config",
                                         ".git/hooks/pre-commit",
                                         "sub/.git/hooks/x",
                                         ".GIT/config",
                                         ".helve/config.toml"};
  for (const std::string& target : refused) {
    const Answer answer = write(target, "x");
    ASSERT_FALSE(answer.ok()) << target;
    EXPECT_TRUE(answer.result.error().code == ErrorCode::kSecurity ||
                answer.result.error().code == ErrorCode::kPermissionDenied)
        << target;
  }
  std::filesystem::create_symlink("/tmp", path("out"));
  EXPECT_EQ(write("out/x", "x").result.error().code, ErrorCode::kSecurity);
  std::filesystem::create_symlink(directory_.at("not-yet"), path("dangling"));
  EXPECT_EQ(write("dangling", "x").result.error().code, ErrorCode::kSecurity);
  EXPECT_FALSE(std::filesystem::exists(directory_.at("not-yet")));
}

TEST_F(WriteTest, HelvesOwnFilesAreOutOfReachWhereverTheyAre) {
  options_.state_directory = path("st");
  ASSERT_TRUE(write("a.txt", "x").ok());
  EXPECT_EQ(write("st/trust.json", "[]").result.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(
      error("edit", {{"path", "st/audit.jsonl"}, {"oldText", "a"}, {"newText", "b"}, {"replaceAll", true}})
          .code,
      ErrorCode::kPermissionDenied);
}

TEST_F(WriteTest, ADryRunSaysTheSameWithoutTouchingAnything) {
  const Answer answer = write("new/a.txt", "x", {{"dryRun", true}});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.result->summary, "Dry run: new/a.txt created (1 line, 2 bytes)");
  EXPECT_FALSE(exists("new"));
  EXPECT_FALSE(write(".git/config", "x", {{"dryRun", true}}).ok());
}

TEST_F(WriteTest, KeepsTheMode) {
  put("run.sh", "old\n");
  ::chmod(path("run.sh").c_str(), 0750);
  ASSERT_TRUE(write("run.sh", "new\n").ok());
  struct stat status{};
  ::stat(path("run.sh").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0750U);
}

TEST_F(WriteTest, UndoTakesBackRedoBringsBack) {
  options_.session_id = "ses_test";
  put("a.txt", "one\n");
  ASSERT_TRUE(write("a.txt", "two\n").ok());
  ASSERT_TRUE(write("dir/new.txt", "new\n").ok());
  restart();  // history survives
  const Answer undone = call("undo", {});
  ASSERT_TRUE(undone.ok()) << undone.result.error().message;
  EXPECT_FALSE(exists("dir"));
  EXPECT_EQ(undone.result->summary, "Undid 1 change: dir/new.txt removed");
  ASSERT_TRUE(call("undo", {{"path", "a.txt"}}).ok());
  EXPECT_EQ(get("a.txt"), "one\n");
  EXPECT_EQ(call("undo", {}).result.error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(call("history", {{"path", "a.txt"}, {"action", "redo"}}).ok());
  EXPECT_EQ(get("a.txt"), "two\n");
}

// Without a path, a call names none of the files that a rule is about.
TEST_F(WriteTest, UndoAndRedoKeepToTheRulesForFilesTheyDoNotName) {
  options_.session_id = "ses_test";
  put("a.txt", "one\n");
  ASSERT_TRUE(write("a.txt", "two\n").ok());
  for (const std::string rule : {"edit(./a.txt)", "read(./a.txt)"}) {
    options_.settings.permissions.deny = {rule};
    restart();
    const Error refused = error("undo", {});
    EXPECT_EQ(refused.code, ErrorCode::kPermissionDenied);
    EXPECT_THAT(refused.message, ::testing::HasSubstr("a.txt"));
    EXPECT_EQ(get("a.txt"), "two\n");
  }
  EXPECT_EQ(error("history", {{"action", "diff"}}).code, ErrorCode::kPermissionDenied);
  options_.settings.permissions.deny = {};
  restart();
  ASSERT_TRUE(call("undo", {}).ok());
  options_.settings.permissions.deny = {"edit(./a.txt)"};
  restart();
  EXPECT_EQ(error("history", {{"action", "redo"}}).code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(get("a.txt"), "one\n");
  EXPECT_TRUE(call("history", {{"action", "diff"}}).ok());
}

TEST_F(WriteTest, UndoRefusesWhenTheFileChangedSinceAndShowsHow) {
  put("a.txt", "one\n");
  ASSERT_TRUE(write("a.txt", "two\n").ok());
  put("a.txt", "two\nby hand\n");
  const Error error = this->error("undo", {{"path", "a.txt"}});
  EXPECT_EQ(error.code, ErrorCode::kConflict);
  EXPECT_THAT((error.message + to_text(error.details)), ::testing::HasSubstr("by hand"));
  EXPECT_EQ(get("a.txt"), "two\nby hand\n");
}

TEST_F(WriteTest, HistoryListsDiffsAndForgets) {
  ASSERT_TRUE(write("a.txt", "one\n").ok());
  ASSERT_TRUE(call("edit", {{"path", "a.txt"}, {"oldText", "one"}, {"newText", "two"}}).ok());
  const Answer list = call("history", {});
  EXPECT_EQ(list.result->summary, "2 changes, 2 can be undone, 0 can be redone");
  EXPECT_THAT(list.result->content, ::testing::HasSubstr("edit  a.txt changed"));
  EXPECT_THAT(content("history", {{"action", "diff"}}), ::testing::HasSubstr("-one\n+two\n"));
  EXPECT_EQ(call("history", {{"action", "clear"}}).result->summary,
            "Forgot 2 changes; the files stay as they are");
  EXPECT_EQ(call("undo", {}).result.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(get("a.txt"), "two\n");
}

TEST_F(WriteTest, LookingAtTheHistoryNeedsNoPermission) {
  options_.settings.mode = Mode::kPlan;
  EXPECT_TRUE(call("history", {}).ok());
  EXPECT_EQ(error("history", {{"action", "clear"}}).code, ErrorCode::kPermissionDenied);
}

TEST_F(WriteTest, UndoNeverTouchesOtherSessions) {
  ASSERT_TRUE(write("a.txt", "one\n").ok());
  const auto other = runtime().open_session({}).value();
  EXPECT_EQ(runtime().call(other, {.tool = "undo"}).result.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(get("a.txt"), "one\n");
}

TEST_F(WriteTest, UndoAndHistorySayWhenOthersChangedSomethingLater) {
  ASSERT_TRUE(write("a.txt", "one\n").ok());
  EXPECT_THAT(content("history", {}), ::testing::Not(::testing::HasSubstr("Other sessions")));
  const auto other = runtime().open_session({}).value();
  ASSERT_TRUE(
      runtime()
          .call(other, {.tool = "write", .arguments = JsonObject{{"path", "b.txt"}, {"content", "x"}}})
          .ok());
  EXPECT_THAT(content("history", {}),
              ::testing::HasSubstr("(Other sessions made 1 newer change here, last write at "));
  const std::string undone = content("undo", {});
  EXPECT_THAT(undone, ::testing::HasSubstr(
                          "b.txt created. Left as it is; undo with the path b.txt takes that back.)"));
  EXPECT_EQ(names(), std::vector<std::string>{"b.txt"});
  EXPECT_THAT(content("undo", {{"path", "b.txt"}}), ::testing::Not(::testing::HasSubstr("Other sessions")));
  EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace helve
