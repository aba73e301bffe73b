#include "base/file_watcher.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/strings.h"
#include "base/test_directory.h"

namespace helve {
namespace {

namespace fs = std::filesystem;

class FileWatcherTest : public ::testing::Test {
 public:
  [[nodiscard]] std::string at(std::string_view name) const { return temporary_.at(name); }
  // Number of directories that the kernel watches for this process.
  static int watched_directories() {
    int count = 0;
    for (const auto& entry : fs::directory_iterator("/proc/self/fdinfo")) {
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) count += line.starts_with("inotify ") ? 1 : 0;
    }
    return count;
  }

  TestDirectory temporary_;
  std::string directory_ = temporary_.path();
};

TEST_F(FileWatcherTest, ReportsOnlyTheWatchedFile) {
  FileWatcher watcher;
  std::atomic<int> notified = 0;
  std::atomic<int> last_notified = 0;
  const auto wait_for = [](const std::atomic<int>& count) {
    for (int i = 0; i < 2000 && count == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_GT(count, 0);
  };
  const auto handle = watcher.watch(at("a"), [&] { ++notified; });
  const auto last = watcher.watch(at("last"), [&] { ++last_notified; });
  ASSERT_TRUE(handle && last);
  std::ofstream(at("b")) << "text";
  std::ofstream(at("last")) << "text";
  wait_for(last_notified);  // earlier events have been reported by then
  EXPECT_EQ(notified, 0);
  std::ofstream(at("a")) << "text";
  wait_for(notified);
}

TEST_F(FileWatcherTest, ForgetsExpiredWatchesOfDirectoriesWithoutEvents) {
  FileWatcher watcher;
  const int before = watched_directories();
  for (int i = 0; i < 50; ++i) {
    const std::string directory = at(std::to_string(i));
    fs::create_directory(directory);
    ASSERT_TRUE(watcher.watch(directory + "/file", [] {}));
  }
  EXPECT_LE(watched_directories(), before + 1);
  const auto kept = watcher.watch(at("0/file"), [] {});
  const auto other = watcher.watch(at("1/file"), [] {});
  EXPECT_EQ(watched_directories(), before + 2);
}

}  // namespace
}  // namespace helve
