// A workspace that is moved away or replaced while it is open gives no wrong answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/test_directory.h"
#include "workspace/root.h"

namespace helve::workspace {
namespace {

using testing::HasSubstr;

class RootReplaced : public ::testing::Test {
 protected:
  RootReplaced() : root_(open()) {}
  Root open() {
    directory_.write("w/a.txt", "a");
    return *Root::open(directory_.at("w"));
  }
  void expect_refused(std::string_view what) const {
    for (const auto& error :
         {root_.open_read("a.txt").error(), root_.open_directory(".").error(), root_.stat("a.txt").error(),
          root_.open_parent("new.txt").error(), root_.make_directories("new").error()}) {
      EXPECT_EQ(error.code, ErrorCode::kUnavailable);
      EXPECT_THAT(error.message, HasSubstr(what));
      EXPECT_THAT(error.hint, HasSubstr("Restart Helve"));
    }
  }

  TestDirectory directory_;
  Root root_;
};

TEST_F(RootReplaced, AnotherDirectoryInItsPlaceIsNotTakenForIt) {
  std::filesystem::rename(directory_.at("w"), directory_.at("moved"));
  directory_.write("w/b.txt", "b");
  expect_refused("was replaced by another one while Helve was using it");
  EXPECT_FALSE(directory_.exists("moved/new"));
}

TEST_F(RootReplaced, AMissingWorkspaceIsNotTakenForAnEmptyOne) {
  std::filesystem::remove_all(directory_.at("w"));
  expect_refused("was removed while Helve was using it");
}

TEST_F(RootReplaced, AWorkspaceThatIsMovedBackIsUsedAgain) {
  std::filesystem::rename(directory_.at("w"), directory_.at("moved"));
  std::filesystem::rename(directory_.at("moved"), directory_.at("w"));
  EXPECT_TRUE(root_.open_read("a.txt"));
}

}  // namespace
}  // namespace helve::workspace
