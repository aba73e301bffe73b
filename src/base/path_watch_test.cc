#include "base/path_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>

#include "base/test_directory.h"

namespace helve {
namespace {

// Waits until the condition holds; false after ten seconds.
bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 1000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return condition();
}

TEST(PathWatch, FollowsFilesAndDirectoriesThatDoNotExistYet) {
  const TestDirectory directory;
  std::atomic<int> calls = 0;
  std::atomic<bool> has_file = false;
  std::atomic<bool> has_entry = false;
  const PathWatch watch(
      {.paths = [&] { return std::vector{directory.at("a/b/file"), directory.at("c/folder")}; },
       .on_change =
           [&] {
             has_file = std::filesystem::exists(directory.at("a/b/file"));
             has_entry = std::filesystem::exists(directory.at("c/folder/entry"));
             ++calls;
           }});
  EXPECT_TRUE(comes_true([&] { return calls > 0; }));
  directory.write("a/b/file", "x");
  EXPECT_TRUE(comes_true([&] { return has_file.load(); }));
  directory.make("c/folder");
  directory.write("c/folder/entry", "x");
  EXPECT_TRUE(comes_true([&] { return has_entry.load(); }));
  std::filesystem::remove_all(directory.at("a"));
  EXPECT_TRUE(comes_true([&] { return !has_file.load(); }));
}

}  // namespace
}  // namespace helve
