#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

#include "base/strings.h"
#include "search/walk_testing.h"

namespace helve::search {
namespace {

// Directories at several depths with files in all of them.
void fill(const TestDirectory& directory, unsigned seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < 600; ++i) {
    std::string path;
    for (std::uint32_t depth = random() % 4; depth > 0; --depth) path += concat("d", random() % 8, "/");
    directory.write(concat(path, "f", random() % 50), "");
  }
}

TEST(WalkerRace, TheOrderIsTheSameWithAnyNumberOfThreads) {
  const TestDirectory directory;
  fill(directory, 1);
  const Paths alone = walk_in(directory.path(), {.deliver_directories = true, .threads = 1}).paths;
  for (unsigned threads : {2U, 3U, 8U})
    for (int round = 0; round < 5; ++round)
      EXPECT_EQ(walk_in(directory.path(), {.deliver_directories = true, .threads = threads}).paths, alone);
}

// Visits take different times, and commits are slower than visits.
class UnevenVisitor : public PathCollector {
 public:
  std::unique_ptr<Findings> visit(unsigned worker, const FileBatch& batch) override {
    if (batch.files.front().name.size() % 2 == 0) std::this_thread::yield();
    return PathCollector::visit(worker, batch);
  }
  bool commit(std::unique_ptr<Findings> findings, const FileBatch& batch) override {
    EXPECT_EQ(++inside, 1);
    if (paths.size() % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    const bool go_on = PathCollector::commit(std::move(findings), batch);
    --inside;
    return go_on;
  }
  std::atomic<int> inside = 0;
};

TEST(WalkerRace, CommitsOneAtATimeAndInOrder) {
  const TestDirectory directory;
  for (int i = 0; i < 1500; ++i) directory.write(concat("d", i % 700, "/f", i), "");
  const auto root = workspace::Root::open(directory.path());
  ASSERT_TRUE(root);
  UnevenVisitor visitor;
  ASSERT_TRUE(walk(*root, {.threads = 6, .environment = IgnoreEnvironment{}}, visitor));
  EXPECT_EQ(visitor.paths.size(), 1500U);
  EXPECT_TRUE(std::ranges::is_sorted(visitor.paths));
}

TEST(WalkerRace, EndingEarlyDeliversTheCorrectPrefix) {
  const TestDirectory directory;
  fill(directory, 2);
  const Paths all = walk_in(directory.path(), {.threads = 1}).paths;
  const auto root = workspace::Root::open(directory.path());
  ASSERT_TRUE(root);
  for (std::size_t most = 1; most < all.size(); most += 13) {
    PathCollector collector;
    collector.most = most;
    const auto report = walk(*root, {.threads = 5, .environment = IgnoreEnvironment{}}, collector);
    ASSERT_TRUE(report);
    ASSERT_GE(collector.paths.size(), most);
    EXPECT_TRUE(std::equal(collector.paths.begin(), collector.paths.end(), all.begin()));
  }
}

TEST(WalkerRace, ToleratesEntriesThatAppearAndDisappear) {
  const TestDirectory directory;
  fill(directory, 3);
  std::atomic<bool> done = false;
  std::thread changer([&] {
    std::mt19937 random(4);
    while (!done) {
      const std::string place = directory.at(concat("d", random() % 8, "/d", random() % 8));
      std::error_code ignored;
      std::filesystem::remove_all(place, ignored);
      std::filesystem::create_directories(place, ignored);
      std::ofstream(place + "/new") << "x";
      std::filesystem::remove(place + "x", ignored);
      std::filesystem::create_symlink("/", place + "x", ignored);
    }
  });
  for (int round = 0; round < 30; ++round) {
    const WalkResult result = walk_in(directory.path(), {.threads = 4});
    EXPECT_EQ(result.report.unreadable, 0U);
    for (const std::string& path : result.paths) EXPECT_FALSE(path.contains("x/")) << path;
  }
  done = true;
  changer.join();
}

}  // namespace
}  // namespace helve::search
