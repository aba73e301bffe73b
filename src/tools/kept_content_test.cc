// Content that the history keeps of what commands removed, on a disk that damages it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/strings.h"
#include "tools/testing.h"

namespace helve {
namespace {

class KeptContentTest : public testing::ToolTest {
 protected:
  // Flips a bit of every kept copy of the text, as a disk would: without a trace in the times.
  int damage(const std::string& text) {
    int damaged = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(options_.state_directory)) {
      struct stat before{};
      if (!entry.is_regular_file() || ::stat(entry.path().c_str(), &before) != 0) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      std::string bytes{std::istreambuf_iterator<char>(in), {}};
      if (bytes != text) continue;
      bytes.front() = static_cast<char>(bytes.front() ^ 1);
      std::ofstream(entry.path(), std::ios::binary | std::ios::in) << bytes;
      const timespec times[] = {before.st_atim, before.st_mtim};
      ::utimensat(AT_FDCWD, entry.path().c_str(), times, 0);
      ++damaged;
    }
    return damaged;
  }
};

TEST_F(KeptContentTest, NoDamagedContentIsRestored) {
  put("precious.txt", "all my work\n");
  put("other.txt", "old\n");
  ASSERT_TRUE(call("exec", {{"command", "rm precious.txt; echo new >other.txt"}}).ok());
  ASSERT_EQ(damage("all my work\n"), 1);
  const Error refused = error("undo", {});
  EXPECT_EQ(refused.kind, ErrorKind::kHistoryDamaged);
  EXPECT_THAT(refused.message,
              ::testing::HasSubstr("the content that was kept of precious.txt does not match"));
  EXPECT_FALSE(exists("precious.txt"));
  EXPECT_EQ(get("other.txt"), "new\n") << "nothing was written";
}

TEST_F(KeptContentTest, NoDamagedCopyIsRestored) {
  put("a.txt", "all my work\n");
  ASSERT_TRUE(call("exec", {{"command", "echo more >>a.txt"}}).ok());
  ASSERT_EQ(damage("all my work\n"), 1);
  EXPECT_EQ(error("undo", {}).kind, ErrorKind::kHistoryDamaged);
  EXPECT_EQ(get("a.txt"), "all my work\nmore\n");
}

TEST_F(KeptContentTest, NoUndoThatWasKilledStopsTheNext) {
  put("a.txt", "before\n");
  put("b.txt", "before\n");
  ASSERT_TRUE(call("exec", {{"command", "echo after >>a.txt; rm b.txt; echo new >c.txt"}}).ok());
  // What it had begun to keep.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(options_.state_directory))
    if (entry.is_directory() && entry.path().filename() == "objects")
      for (int number = 3; number < 6; ++number)
        std::ofstream(entry.path() / std::to_string(number)) << "half";
  const Answer undone = call("undo", {});
  ASSERT_TRUE(undone.ok()) << undone.result.error().message;
  EXPECT_EQ(get("a.txt") + get("b.txt"), "before\nbefore\n");
  ASSERT_TRUE(call("history", {{"action", "redo"}}).ok());
  EXPECT_EQ(get("a.txt") + get("c.txt"), "before\nafter\nnew\n");
}

TEST_F(KeptContentTest, NoDamageOfALargeFileIsRestored) {
  const std::string large(std::size_t{20} << 20, 'x');
  put("large.bin", large);
  ASSERT_TRUE(call("exec", {{"command", "rm large.bin"}}).ok());
  ASSERT_EQ(damage(large), 1);
  EXPECT_EQ(error("undo", {}).kind, ErrorKind::kHistoryDamaged);
  EXPECT_FALSE(exists("large.bin"));
}

TEST_F(KeptContentTest, NoDamagedContentIsRestoredByRedo) {
  put("a.txt", "before\n");
  ASSERT_TRUE(call("exec", {{"command", "echo after >a.txt"}}).ok());
  ASSERT_TRUE(call("undo", {}).ok());
  ASSERT_EQ(damage("after\n"), 1);
  EXPECT_FALSE(call("history", {{"action", "redo"}}).ok());
  EXPECT_EQ(get("a.txt"), "before\n");
}

}  // namespace
}  // namespace helve
