// Threads and processes that change, undo and list at the same time.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "changes/changes_testing.h"

namespace helve::changes {
namespace {

using Tree = std::vector<std::string>;

constexpr ChangeOptions kFastChanges{.durability = workspace::Durability::kNone};

// Reads a number and writes its successor until that has succeeded `times` times. False on an unexpected
// error.
bool count_up(const workspace::Root& root, Changes& changes, const std::string& path, int times) {
  while (times > 0) {
    const auto file = root.open_read(path);
    const auto content =
        file ? workspace::read_content(*file, 100) : Expected<std::string>(fail(file.error()));
    if (!content || content->empty()) return false;
    const std::string next = std::to_string(std::stoi(*content) + 1);
    FileChange change;
    change.path = path;
    change.old_content = *content;
    change.expected = workspace::ExpectedState::of_content(workspace::identity_of(file->status), *content);
    change.content = std::vector<std::string_view>{next};
    const auto done = changes.commit({"s"}, std::span(&change, 1));
    if (done) --times;
    if (!done && done.error().code != ErrorCode::kConflict) {
      ADD_FAILURE() << done.error().message;
      return false;
    }
  }
  return true;
}

// Undoes everything step by step, which only works if the history has all changes in order.
void expect_complete_history(ChangesBench& bench, std::size_t changes, const Tree& initial) {
  EXPECT_EQ(bench.changes().list({})->total, changes);
  EXPECT_EQ(bench.leftovers(), Tree{});
  const auto undone = bench.undo({}, changes);
  ASSERT_TRUE(undone) << undone.error().message;
  EXPECT_EQ(undone->steps.size(), changes) << (undone->stopped ? undone->stopped->message : "");
  EXPECT_EQ(bench.tree(), initial);
}

TEST(ChangesRace, ThreadsLoseNoUpdateAndTheHistoryHasThemAllInOrder) {
  ChangesBench bench(kFastChanges);
  const Tree initial{"n0=0", "n1=0", "n2=0"};
  for (const char* name : {"n0", "n1", "n2"}) bench.files().write(name, "0");
  Changes changes = bench.changes();
  std::atomic<int> good = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back(
        [&, i] { good += count_up(bench.root(), changes, "n" + std::to_string(i % 3), 40) ? 1 : 0; });
  threads.clear();
  EXPECT_EQ(good, 6);
  EXPECT_EQ(bench.tree(), (Tree{"n0=80", "n1=80", "n2=80"}));
  expect_complete_history(bench, 240, initial);
}

TEST(ChangesRace, ProcessesLoseNoUpdateAndTheHistoryHasThemAllInOrder) {
  ChangesBench bench(kFastChanges);
  bench.files().write("n", "0");
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      Changes changes = bench.changes();
      ::_exit(count_up(bench.root(), changes, "n", 40) ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  expect_complete_history(bench, 120, Tree{"n=0"});
}

TEST(ChangesRace, OfTwoSetsThatExpectTheSameStateExactlyOneIsMade) {
  ChangesBench bench(kFastChanges);
  Changes changes = bench.changes();
  int rounds = 0;
  for (; rounds < 60; ++rounds) {
    bench.files().write("a", "0");
    bench.files().write("b", "0");
    // In opposite order: there must be no deadlock.
    std::vector<FileChange> one{bench.write("a", "1"), bench.write("b", "1")};
    std::vector<FileChange> two{bench.write("b", "2"), bench.write("a", "2")};
    std::atomic<int> made = 0;
    {
      const std::jthread first([&] { made += changes.commit({"s1"}, one) ? 1 : 0; });
      const std::jthread second([&] { made += changes.commit({"s2"}, two) ? 1 : 0; });
    }
    ASSERT_EQ(made, 1);
    ASSERT_EQ(bench.files().read("a"), bench.files().read("b"));
  }
  EXPECT_EQ(bench.leftovers(), Tree{});
}

TEST(ChangesRace, UndoListAndClearDoNotDisturbChanges) {
  ChangesBench bench({.durability = workspace::Durability::kNone, .max_changes = 50});
  for (const char* name : {"n0", "n1", "u"}) bench.files().write(name, "0");
  Changes changes = bench.changes();
  std::atomic<int> running = 2;
  std::atomic<int> odd = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i)
      threads.emplace_back([&, i] {
        odd += count_up(bench.root(), changes, "n" + std::to_string(i), 150) ? 0 : 1;
        --running;
      });
    threads.emplace_back([&] {
      while (running > 0) {
        FileChange change;
        change.path = "u";
        change.content = std::vector<std::string_view>{"1"};
        change.old_content = "0";
        change.expected = workspace::ExpectedState::of_content({}, "0");
        odd += changes.commit({"undoer"}, std::span(&change, 1)) ? 0 : 1;
        const auto undone = changes.undo({"undoer"}, {.path = "u"});
        // The history is short: the change may have been dropped before the undo.
        if (!undone) {
          odd += undone.error().code == ErrorCode::kNotFound ? 0 : 1;
          bench.files().write("u", "0");
        }
        odd += changes.list({}) ? 0 : 1;
        odd += changes.clear({.session = "nobody"}) ? 0 : 1;
        odd += changes.recover() ? 0 : 1;
      }
    });
  }
  EXPECT_EQ(odd, 0);
  EXPECT_EQ(bench.files().read("n0"), "150");
  EXPECT_EQ(bench.files().read("n1"), "150");
  EXPECT_LE(changes.list({})->total, 50U);
  EXPECT_EQ(bench.leftovers(), Tree{});
}

}  // namespace
}  // namespace helve::changes
