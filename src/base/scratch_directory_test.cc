#include "base/scratch_directory.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace helve {
namespace {

TEST(ScratchDirectory, IsRemovedWithItsContents) {
  std::string path;
  {
    auto made = ScratchDirectory::create(temporary_directory(), "helve-scratch-test-");
    ASSERT_TRUE(made);
    path = made->path();
    std::ofstream(path + "/file") << "x";
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
    ScratchDirectory moved = *std::move(made);
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ScratchDirectory, RemovesOnlyDirectoriesOfKilledProcesses) {
  auto base = ScratchDirectory::create(temporary_directory(), "helve-scratch-test-");
  ASSERT_TRUE(base);
  const auto in_use = ScratchDirectory::create(base->path(), "a-");
  ASSERT_TRUE(in_use);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lost = ScratchDirectory::create(base->path(), "a-");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  std::filesystem::create_directory(base->path() + "/b-other");
  const auto count = [&] {
    return std::distance(std::filesystem::directory_iterator(base->path()),
                         std::filesystem::directory_iterator());
  };
  EXPECT_EQ(count(), 3);
  ScratchDirectory::remove_left_behind(base->path(), "a-");
  EXPECT_EQ(count(), 2);
  EXPECT_TRUE(std::filesystem::exists(base->path() + "/b-other"));
  EXPECT_TRUE(std::filesystem::exists(in_use->path()));
}

}  // namespace
}  // namespace helve
