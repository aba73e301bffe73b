// Recovery of interrupted change sets, also when others changed the files in between.
#include <gtest/gtest.h>

#include "changes/changes_testing.h"
#include "changes/journal_locks.h"
#include "changes/kill_points_testing.h"

namespace helve::changes {
namespace {

using Tree = std::vector<std::string>;
using Outcome = RecoveredChange::Outcome;

void build_old(ChangesBench& bench) {
  bench.files().write("a.txt", "a\n");
  bench.files().write("b.txt", "b\n");
  bench.files().write("c.txt", "c\n");
}

bool change(ChangesBench& bench) {
  return bench.commit({bench.write("a.txt", "A\n"), bench.write("b.txt", "B\n"), bench.remove("c.txt")})
      .has_value();
}

// A workspace in which a commit of three files was killed as soon as `is_reached` returned true.
std::unique_ptr<ChangesBench> killed_when(const std::function<bool(const ChangesBench&)>& is_reached) {
  for (std::size_t point = 1;; ++point) {
    auto bench = std::make_unique<ChangesBench>();
    build_old(*bench);
    const KillPoint died = TracedRun([&] { return change(*bench) ? 0 : 1; }).kill_at(point);
    if (died.completed) return nullptr;
    if (is_reached(*bench)) return bench;
  }
}

// Without temporary files.
Tree visible(const ChangesBench& bench) {
  Tree all = bench.tree();
  std::erase_if(all, [](const std::string& entry) { return entry.starts_with(".helve"); });
  return all;
}

TEST(ChangesRecover, RollsBackAPartialSetAndReportsIt) {
  const auto bench = killed_when([](const ChangesBench& now) { return now.files().read("b.txt") == "B\n"; });
  ASSERT_NE(bench, nullptr);
  ASSERT_TRUE(bench->files().exists("c.txt"));
  const auto report = bench->changes().recover();
  ASSERT_TRUE(report);
  ASSERT_EQ(report->changes.size(), 1U);
  EXPECT_EQ(report->changes[0].outcome, Outcome::kRolledBack);
  EXPECT_EQ(report->changes[0].paths, (Tree{"a.txt", "b.txt", "c.txt"}));
  EXPECT_EQ(report->changes[0].origin, (ChangeOrigin{"s1", "c1", "test"}));
  EXPECT_EQ(bench->tree(), (Tree{"a.txt=a\n", "b.txt=b\n", "c.txt=c\n"}));
  EXPECT_EQ(bench->leftovers(), Tree{});
}

TEST(ChangesRecover, FinishesASetWhoseLastFileWasChanged) {
  const auto bench = killed_when([](const ChangesBench& now) {
    return visible(now) == Tree{"a.txt=A\n", "b.txt=B\n"} && now.tree() == visible(now);
  });
  ASSERT_NE(bench, nullptr);
  const auto report = bench->changes().recover();
  ASSERT_TRUE(report);
  ASSERT_EQ(report->changes.size(), 1U);
  EXPECT_EQ(report->changes[0].outcome, Outcome::kFinished);
  EXPECT_EQ(bench->tree(), (Tree{"a.txt=A\n", "b.txt=B\n"}));
  ASSERT_TRUE(bench->undo());
  EXPECT_EQ(bench->tree(), (Tree{"a.txt=a\n", "b.txt=b\n", "c.txt=c\n"}));
}

TEST(ChangesRecover, NeverOverwritesWhatOthersChangedSinceTheCrash) {
  const auto bench = killed_when([](const ChangesBench& now) { return now.files().read("b.txt") == "B\n"; });
  ASSERT_NE(bench, nullptr);
  bench->files().write("b.txt", "theirs\n");
  const auto report = bench->changes().recover();
  ASSERT_TRUE(report);
  ASSERT_EQ(report->changes.size(), 1U);
  EXPECT_EQ(report->changes[0].outcome, Outcome::kKeptAside);
  EXPECT_EQ(report->changes[0].foreign, Tree{"b.txt"});
  EXPECT_EQ(bench->tree(), (Tree{"a.txt=a\n", "b.txt=theirs\n", "c.txt=c\n"}));
  EXPECT_EQ(bench->leftovers(), Tree{});
  // It can be viewed, but not undone.
  const auto list = bench->changes().list({});
  ASSERT_EQ(list->entries.size(), 1U);
  EXPECT_EQ(list->entries[0].state, ChangeState::kInterrupted);
  const auto diff = bench->changes().diff(list->entries[0].change_id);
  ASSERT_TRUE(diff);
  EXPECT_EQ(diff->files[1].before, "b\n");
  EXPECT_EQ(diff->files[1].after, "B\n");
  EXPECT_EQ(bench->undo().error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(bench->changes().recover()->is_clean());
}

TEST(ChangesRecover, AnotherProgramsFileUnderTheTemporaryNameIsRestored) {
  const auto temporary = [](const ChangesBench& now) {
    for (const std::string& name : now.files().names())
      if (name.starts_with(".helve")) return name;
    return std::string();
  };
  // After the swap and before the cleanup, the temporary name refers to the old file.
  const auto bench = killed_when(
      [&](const ChangesBench& now) { return now.files().read("a.txt") == "A\n" && !temporary(now).empty(); });
  ASSERT_NE(bench, nullptr);
  // As if another program had saved a.txt just before the swap.
  bench->files().write(temporary(*bench), "theirs\n");
  const auto report = bench->changes().recover();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->changes[0].outcome, Outcome::kKeptAside);
  EXPECT_EQ(bench->tree(), (Tree{"a.txt=theirs\n", "b.txt=b\n", "c.txt=c\n"}));
  EXPECT_EQ(bench->leftovers(), Tree{});
}

TEST(ChangesRecover, ANewFileInPlaceOfARemovedOneIsKept) {
  const auto bench =
      killed_when([](const ChangesBench& now) { return visible(now) == Tree{"a.txt=A\n", "b.txt=B\n"}; });
  ASSERT_NE(bench, nullptr);
  bench->files().write("c.txt", "another\n");
  const auto report = bench->changes().recover();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->changes[0].outcome, Outcome::kKeptAside);
  EXPECT_EQ(report->changes[0].foreign, Tree{"c.txt"});
  EXPECT_EQ(bench->tree(), (Tree{"a.txt=a\n", "b.txt=b\n", "c.txt=another\n"}));
}

TEST(ChangesRecover, IgnoresChangeSetsOfARunningProcess) {
  const auto bench = killed_when([](const ChangesBench& now) { return now.files().read("b.txt") == "B\n"; });
  ASSERT_NE(bench, nullptr);
  const Tree half = bench->tree();
  const std::string history = bench->history();
  {
    const auto store =
        HistoryStore::open(history, HistoryLog::Missing::kRefuse, workspace::Durability::kNone);
    const auto ids = ActiveMark::list(store->active_directory());
    ASSERT_EQ(ids.size(), 1U);
    const auto alive = ActiveMark::adopt(store->active_directory(), ids[0]);
    ASSERT_TRUE(alive);
    EXPECT_TRUE(bench->changes().recover()->is_clean());
    EXPECT_EQ(bench->tree(), half);
  }
  EXPECT_EQ(bench->changes().recover()->changes.size(), 1U);
  EXPECT_EQ(bench->tree(), (Tree{"a.txt=a\n", "b.txt=b\n", "c.txt=c\n"}));
}

TEST(ChangesRecover, FindsThePendingSetAfterAPowerLossRemovedItsMark) {
  const auto bench = killed_when([](const ChangesBench& now) { return now.files().read("b.txt") == "B\n"; });
  ASSERT_NE(bench, nullptr);
  for (const auto& entry : std::filesystem::directory_iterator(bench->history() + "/active"))
    std::filesystem::remove(entry.path());
  std::ofstream(bench->history() + "/boot") << "another boot";
  EXPECT_EQ(bench->changes().recover()->changes.size(), 1U);
  EXPECT_EQ(bench->tree(), (Tree{"a.txt=a\n", "b.txt=b\n", "c.txt=c\n"}));
  EXPECT_EQ(bench->leftovers(), Tree{});
}

TEST(ChangesRecover, TheNextCommitRecoversFirst) {
  const auto bench = killed_when([](const ChangesBench& now) { return now.files().read("b.txt") == "B\n"; });
  ASSERT_NE(bench, nullptr);
  ASSERT_TRUE(bench->commit({bench->write("new.txt", "n\n")}));
  EXPECT_EQ(bench->tree(), (Tree{"a.txt=a\n", "b.txt=b\n", "c.txt=c\n", "new.txt=n\n"}));
  EXPECT_TRUE(bench->changes().recover()->is_clean());
}

TEST(ChangesRecover, WithoutAHistoryThereIsNothingToDo) {
  ChangesBench bench;
  EXPECT_TRUE(bench.changes().recover()->is_clean());
  EXPECT_TRUE(std::filesystem::is_empty(bench.state()));
}

}  // namespace
}  // namespace helve::changes
