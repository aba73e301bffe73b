#include "changes/file_move.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/test_directory.h"
#include "workspace/root.h"

namespace helve::changes {
namespace {

using Names = std::vector<std::string>;

class FileMoveTest : public ::testing::Test {
 protected:
  FileMoveTest() : root_(std::move(*workspace::Root::open(directory_.path()))) {}

  [[nodiscard]] workspace::WriteTarget target(std::string_view path) const {
    return std::move(*root_.open_parent(path));
  }
  template <class T>
  static std::string reason(const Expected<T>& outcome) {
    if (outcome) return "done";
    const Json* found = outcome.error().details.find("reason");
    return found == nullptr ? outcome.error().message : found->as_string();
  }

  TestDirectory directory_;
  workspace::Root root_;
};

TEST_F(FileMoveTest, RemovesAFileThatIsAsExpected) {
  directory_.write("a.txt", "old");
  EXPECT_EQ(reason(remove_file(target("a.txt"), workspace::ExpectedState::of_content({}, "old"))), "done");
  EXPECT_EQ(directory_.names(), Names{});
}

TEST_F(FileMoveTest, KeepsAFileThatIsNotAsExpected) {
  directory_.write("a.txt", "theirs");
  EXPECT_EQ(reason(remove_file(target("a.txt"), workspace::ExpectedState::of_content({}, "old"))), "changed");
  // The identity is unchanged but the content is not, which is detected after the rename.
  const workspace::FileIdentity now = workspace::identity_of(root_.stat("a.txt")->status);
  EXPECT_EQ(reason(remove_file(target("a.txt"), workspace::ExpectedState::of_content(now, "old"))),
            "changed");
  EXPECT_EQ(directory_.read("a.txt"), "theirs");
  EXPECT_EQ(directory_.names(), Names{"a.txt"});
}

TEST_F(FileMoveTest, ReportsThatAFileIsAlreadyGone) {
  directory_.write("a.txt", "old");
  const workspace::WriteTarget gone = target("a.txt");
  std::filesystem::remove(directory_.at("a.txt"));
  EXPECT_EQ(reason(remove_file(gone, workspace::ExpectedState::of_content({}, "old"))), "deleted");
}

TEST_F(FileMoveTest, RemovesOneNameOfAHardLinkedFile) {
  directory_.write("a.txt", "old");
  std::filesystem::create_hard_link(directory_.at("a.txt"), directory_.at("b.txt"));
  EXPECT_EQ(reason(remove_file(target("a.txt"), workspace::ExpectedState::of_content({}, "old"))), "done");
  EXPECT_EQ(directory_.read("b.txt"), "old");
}

TEST_F(FileMoveTest, RenamesAcrossDirectories) {
  directory_.write("a.txt", "old");
  directory_.make("sub");
  const auto identity =
      rename_file(target("a.txt"), target("sub/b.txt"), workspace::ExpectedState::of_content({}, "old"));
  ASSERT_TRUE(identity) << identity.error().message;
  EXPECT_EQ(*identity, workspace::identity_of(root_.stat("sub/b.txt")->status));
  EXPECT_FALSE(directory_.exists("a.txt"));
}

TEST_F(FileMoveTest, NeverRenamesOverAFile) {
  directory_.write("a.txt", "old");
  const workspace::WriteTarget to = target("b.txt");
  directory_.write("b.txt", "theirs");
  EXPECT_EQ(reason(rename_file(target("a.txt"), to, workspace::ExpectedState::of_content({}, "old"))),
            "created");
  EXPECT_EQ(directory_.read("a.txt"), "old");
  EXPECT_EQ(directory_.read("b.txt"), "theirs");
}

TEST_F(FileMoveTest, RenamesOnlyAFileThatIsAsExpected) {
  directory_.write("a.txt", "theirs");
  const workspace::FileIdentity now = workspace::identity_of(root_.stat("a.txt")->status);
  EXPECT_EQ(
      reason(rename_file(target("a.txt"), target("b.txt"), workspace::ExpectedState::of_content(now, "old"))),
      "changed");
  EXPECT_EQ(directory_.names(), Names{"a.txt"});
}

TEST_F(FileMoveTest, RenamesAFileThatIsBeingWritten) {
  directory_.write("server.log", "line\n");
  const UniqueFd writer(::open(directory_.at("server.log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  EXPECT_EQ(reason(rename_file(target("server.log"), target("old.log"),
                               workspace::ExpectedState::of_content({}, "line\n"))),
            "done");
}

}  // namespace
}  // namespace helve::changes
