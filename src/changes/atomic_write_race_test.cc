// Concurrent writers on one file: Helve's and other programs.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/test_directory.h"
#include "changes/atomic_write.h"
#include "workspace/root.h"

namespace helve::changes {
namespace {

constexpr WriteOptions kFast{.durability = workspace::Durability::kNone};

// Reads a number and writes its successor until that has succeeded `times` times. False on an unexpected
// error.
bool count_up(const workspace::Root& root, std::string_view path, int times) {
  while (times > 0) {
    const auto file = root.open_read(path);
    const auto content =
        file ? workspace::read_content(*file, 100) : Expected<std::string>(fail(file.error()));
    const auto target = root.open_parent(path);
    if (!content || content->empty() || !target) return false;
    const std::string next = std::to_string(std::stoi(*content) + 1);
    const auto outcome = atomic_write(
        *target, next, workspace::ExpectedState::of_content(workspace::identity_of(file->status), *content),
        kFast);
    if (outcome) --times;
    if (!outcome && outcome.error().code != ErrorCode::kConflict) return false;
  }
  return true;
}

TEST(AtomicWriteRace, ThreadsLoseNoUpdate) {
  const TestDirectory directory;
  directory.write("n", "0");
  const auto root = workspace::Root::open(directory.path());
  std::atomic<int> good = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { good += count_up(*root, "n", 250) ? 1 : 0; });
  threads.clear();
  EXPECT_EQ(good, 4);
  EXPECT_EQ(directory.read("n"), "1000");
  EXPECT_EQ(directory.names(), std::vector<std::string>{"n"});
}

TEST(AtomicWriteRace, ProcessesLoseNoUpdate) {
  const TestDirectory directory;
  directory.write("n", "0");
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(count_up(*workspace::Root::open(directory.path()), "n", 150) ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(directory.read("n"), "450");
}

TEST(AtomicWriteRace, ExactlyOneOfSeveralCreatorsWins) {
  const TestDirectory directory;
  const auto root = workspace::Root::open(directory.path());
  for (int round = 0; round < 100; ++round) {
    const std::string name = "f" + std::to_string(round);
    std::atomic<int> winners = 0;
    std::atomic<int> conflicts = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        const auto target = root->open_parent(name);
        const auto outcome =
            atomic_write(*target, std::to_string(i), workspace::ExpectedState::absent(), kFast);
        ++(outcome ? winners : conflicts);
      });
    }
    threads.clear();
    EXPECT_EQ(winners, 1);
    EXPECT_EQ(conflicts, 3);
  }
}

// Another program saves by writing a second file and renaming it, without locks. A Helve write that has not
// read that save must not replace it.
TEST(AtomicWriteRace, NeverLosesWhatAnotherProgramSavedByRename) {
  constexpr int kSaves = 500;
  const TestDirectory directory;
  directory.write("f", "F0;");
  const auto root = workspace::Root::open(directory.path());
  std::atomic<bool> stop = false;
  std::atomic<int> successes = 0;
  std::atomic<int> conflicts = 0;
  std::atomic<long> rounds = 0;
  std::jthread ours([&] {
    for (; !stop; ++rounds) {
      const auto file = root->open_read("f");
      const auto content =
          file ? workspace::read_content(*file, 1 << 20) : Expected<std::string>(fail(file.error()));
      const auto target = root->open_parent("f");
      if (!content || !target) continue;
      const std::string next =
          content->size() < 1000 ? *content + "h" : content->substr(0, content->find(';') + 1);
      const auto outcome = atomic_write(
          *target, next, workspace::ExpectedState::of_content(workspace::identity_of(file->status), *content),
          kFast);
      ++(outcome ? successes : conflicts);
    }
  });
  int lost = 0;
  for (int save = 1; save <= kSaves; ++save) {
    const std::string mark = "F" + std::to_string(save) + ";";
    directory.write("beside", mark);
    std::filesystem::rename(directory.at("beside"), directory.at("f"));
    // A Helve write in progress may be visible for a moment before it is swapped back. From the second round
    // on, all Helve writes have read the save.
    const long round = rounds;
    while (rounds < round + 2) std::this_thread::yield();
    if (!directory.read("f").starts_with(mark)) ++lost;
  }
  stop = true;
  ours.join();
  EXPECT_EQ(lost, 0);
  EXPECT_GT(successes, 0);
  EXPECT_EQ(directory.names(), std::vector<std::string>{"f"});
}

}  // namespace
}  // namespace helve::changes
