// Path resolution while another process swaps directories for symlinks.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/test_directory.h"
#include "changes/atomic_write.h"
#include "changes/file_move.h"
#include "workspace/root.h"

namespace helve::changes {
namespace {

TEST(RootRace, NoReadOrWriteEscapesWhileADirectoryIsSwappedForALink) {
  constexpr int kOperations = 100'000;
  const TestDirectory outer;
  outer.write("outside/data.txt", "SECRET");
  outer.write("outside/sub/data.txt", "SECRET");
  outer.write("ws/dir/data.txt", "inside");
  outer.write("ws/dir/sub/data.txt", "inside");
  outer.link("../outside", "ws/trap");
  const auto root = workspace::Root::open(outer.at("ws"));
  ASSERT_TRUE(root);

  std::atomic<bool> stop = false;
  std::atomic<long> swaps = 0;
  std::thread swapper([&] {
    while (!stop) {
      ::renameat2(root->fd(), "dir", root->fd(), "trap", RENAME_EXCHANGE);
      ++swaps;
    }
  });
  int escapes = 0;
  int reads = 0;
  int refusals = 0;
  int writes = 0;
  const auto look = [&](std::string_view path) {
    const auto file = root->open_read(path);
    const auto content =
        file ? workspace::read_content(*file, 100) : Expected<std::string>(fail(file.error()));
    reads += content ? 1 : 0;
    refusals += content ? 0 : 1;
    if (content && *content != "inside") ++escapes;
  };
  const auto scribble = [&] {
    const auto target = root->open_parent("dir/new.txt");
    if (!target) return;
    const WriteOptions fast{.durability = workspace::Durability::kNone};
    if (!atomic_write(*target, "mine", workspace::ExpectedState::absent(), fast)) return;
    ++writes;
    if (!remove_file(*target, workspace::ExpectedState::of_content({}, "mine"),
                     {.durability = workspace::Durability::kNone}))
      ++escapes;
  };
  for (int i = 0; i < kOperations; ++i) {
    switch (i % 10) {
      case 0: scribble(); break;
      case 1: look("dir/sub/../data.txt"); break;
      case 2: static_cast<void>(root->make_directories("dir/made", workspace::Durability::kNone)); break;
      case 3: look("dir/sub/data.txt"); break;
      default: look("dir/data.txt");
    }
  }
  stop = true;
  swapper.join();
  EXPECT_EQ(escapes, 0);
  EXPECT_EQ(outer.names("outside"), (std::vector<std::string>{"data.txt", "sub"}));
  EXPECT_EQ(outer.read("outside/data.txt"), "SECRET");
  // The test is only meaningful if both states of the swap were met.
  EXPECT_GT(reads, 0);
  EXPECT_GT(refusals, 0);
  EXPECT_GT(writes, 0);
  EXPECT_GT(swaps, 100);
}

}  // namespace
}  // namespace helve::changes
