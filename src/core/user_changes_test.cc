#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file_io.h"
#include "base/strings.h"
#include "core/testing.h"

namespace helve::core {
namespace {

class UserChangesTest : public helve::testing::RuntimeFixture {
 protected:
  UserChangesTest() : RuntimeFixture(true) {}

  void write(const std::string& path, const std::string& content) {
    const Answer answer =
        runtime().call({.tool = "write", .arguments = JsonObject{{"path", path}, {"content", content}}});
    ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  }
  std::string content(const std::string& path) {
    return read_file(concat(runtime().workspace(), "/", path)).value_or("(none)");
  }
};

TEST_F(UserChangesTest, ListsMoreChangesThanAPageOfTheHistoryTool) {
  for (int i = 0; i < 60; ++i) write(concat("file", i), "x\n");
  const auto history = runtime().changes(runtime().default_session());
  ASSERT_TRUE(history);
  EXPECT_EQ(history->changes.size(), 60U);
  EXPECT_EQ(history->undoable, 60U);
  EXPECT_EQ(history->changes.front().files.front().path, "file59");
  EXPECT_EQ(history->changes.front().tool, "write");
  EXPECT_EQ(history->changes.front().state, "applied");
}

TEST_F(UserChangesTest, UndoesAndRedoesSeveralChanges) {
  write("a", "1\n");
  write("b", "2\n");
  const auto undone = runtime().undo(runtime().default_session(), 2);
  ASSERT_TRUE(undone) << undone.error().message;
  ASSERT_EQ(undone->steps.size(), 2U);
  EXPECT_EQ(undone->steps[0].change.files.front().path, "b");
  EXPECT_EQ(undone->steps[0].change.files.front().action, "removed");
  EXPECT_THAT(undone->steps[0].diff, ::testing::HasSubstr("-2\n"));
  EXPECT_EQ(content("a"), "(none)");
  const auto redone = runtime().redo(runtime().default_session(), 5);
  ASSERT_TRUE(redone) << redone.error().message;
  EXPECT_EQ(redone->steps.size(), 2U);
  EXPECT_NE(redone->stopped, "");
  EXPECT_EQ(content("b"), "2\n");
  const std::string audit = read_file(concat(runtime().state_directory(), "/audit.jsonl")).value_or("");
  EXPECT_THAT(audit, ::testing::HasSubstr("the user asked for it"));
  EXPECT_THAT(audit, ::testing::HasSubstr("Redid 2 changes"));
}

TEST_F(UserChangesTest, UndoRespectsDenyRules) {
  options_.session_id = "same";
  write("other", "1\n");
  restart();
  options_.settings.permissions.deny = {"edit(/other)"};
  const auto undone = runtime().undo(runtime().default_session(), 1);
  ASSERT_FALSE(undone);
  EXPECT_EQ(undone.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(content("other"), "1\n");
}

TEST_F(UserChangesTest, ReportsThatThereIsNothingToUndo) {
  const auto undone = runtime().undo(runtime().default_session(), 1);
  ASSERT_FALSE(undone);
  EXPECT_EQ(undone.error().code, ErrorCode::kNotFound);
}

TEST_F(UserChangesTest, SandboxStatusHasTheLevelOfTheSettings) {
  options_.settings.sandbox.level = SandboxLevel::kReadOnly;
  options_.settings.sandbox.network = true;
  const SandboxStatus status = runtime().sandbox();
  EXPECT_EQ(status.level, SandboxLevel::kReadOnly);
  EXPECT_TRUE(status.network);
}

}  // namespace
}  // namespace helve::core
