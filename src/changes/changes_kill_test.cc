// SIGKILL before every system call of a commit, an undo and a recovery leaves all old or all new, and no
// leftovers.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cstdio>
#include <memory>

#include "changes/changes_testing.h"
#include "changes/kill_points_testing.h"

namespace helve::changes {
namespace {

using Tree = std::vector<std::string>;

constexpr ChangeOptions kOptions{.durability = workspace::Durability::kNone};

// Uses /dev/shm if possible: kills do not need a real disk, and thousands of runs take time.
class ChangesKill : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (const char* given = std::getenv("TMPDIR")) previous_ = given;
    if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 1);
  }
  static void TearDownTestSuite() {
    if (previous_) {
      ::setenv("TMPDIR", previous_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
  }

 private:
  static inline std::optional<std::string> previous_;
};

// `build` runs again for each kill; `act` runs in the child process that is killed.
struct Scene {
  std::function<void(ChangesBench&)> build;
  std::function<bool(ChangesBench&)> act;
};

// After recovery, history and disk must agree: the change set was made and can be undone, or was not made.
void expect_agreement(ChangesBench& bench, const Tree& before, const Tree& after, const KillPoint& point) {
  SCOPED_TRACE(testing::Message() << "killed before system call " << point.number << " (number "
                                  << point.system_call << ")");
  const auto report = bench.changes().recover();
  ASSERT_TRUE(report) << report.error().message;
  for (const RecoveredChange& change : report->changes) {
    EXPECT_NE(change.outcome, RecoveredChange::Outcome::kKeptAside);
    EXPECT_EQ(change.notes, Tree{});
  }
  const Tree now = bench.tree();
  EXPECT_TRUE(now == before || now == after) << testing::PrintToString(now);
  if (point.completed) {
    EXPECT_EQ(point.exit_code, 0);
    EXPECT_EQ(now, after);
  }
  EXPECT_EQ(bench.leftovers(), Tree{});
  EXPECT_TRUE(bench.changes().recover()->is_clean());
}

// Tries all kill points and returns how often the outcome was old and how often new.
std::pair<std::size_t, std::size_t> try_all(std::string_view name, const Scene& scene,
                                            const std::function<void(ChangesBench&, bool is_new)>& check,
                                            const KillOptions& options = {}) {
  Tree before;
  Tree after;
  {
    ChangesBench bench(kOptions);
    scene.build(bench);
    before = bench.tree();
    EXPECT_TRUE(scene.act(bench));
    after = bench.tree();
  }
  std::unique_ptr<ChangesBench> bench;
  std::pair<std::size_t, std::size_t> outcomes;
  const std::size_t kills = for_each_kill_point(
      [&] {
        bench = std::make_unique<ChangesBench>(kOptions);
        scene.build(*bench);
      },
      [&] { return scene.act(*bench) ? 0 : 1; },
      [&](const KillPoint& point) {
        expect_agreement(*bench, before, after, point);
        const bool is_new = bench->tree() == after;
        ++(is_new ? outcomes.second : outcomes.first);
        check(*bench, is_new);
      },
      options);
  std::printf("%.*s: %zu kill points, %zu times old, %zu times new\n", static_cast<int>(name.size()),
              name.data(), kills, outcomes.first, outcomes.second);
  EXPECT_GT(kills, 20U / kKillStride);
  EXPECT_GT(outcomes.first, 0U);
  EXPECT_GT(outcomes.second, 0U);
  return outcomes;
}

void nothing(ChangesBench&) {}

// A new state can be undone; for an old one there is nothing to undo.
void check_undo(ChangesBench& bench, bool is_new) {
  const auto undone = bench.undo();
  EXPECT_EQ(undone.has_value(), is_new) << (undone ? "" : undone.error().message);
  if (!is_new) {
    EXPECT_EQ(bench.changes().list({})->total, 0U);
  }
}

TEST_F(ChangesKill, CreatingOneFile) {
  try_all("create",
          {nothing,
           [](ChangesBench& bench) {
             return bench.commit({bench.write("new/deep/a.txt", "hello\n")}).has_value();
           }},
          check_undo);
}

TEST_F(ChangesKill, ChangingOneFile) {
  try_all("edit",
          {[](ChangesBench& bench) { bench.files().write("a.txt", "one\ntwo\n"); },
           [](ChangesBench& bench) { return bench.commit({bench.write("a.txt", "one\n2\n")}).has_value(); }},
          check_undo);
}

TEST_F(ChangesKill, ChangingOneFileWithFullDurability) {
  try_all("edit, synced",
          {[](ChangesBench& bench) { bench.files().write("a.txt", std::string(20'000, 'a')); },
           [](ChangesBench& bench) {
             Changes durable = std::move(*Changes::open(bench.root(), bench.state()));
             const FileChange change = bench.write("a.txt", "b\n");
             return durable.commit({"s1"}, std::span(&change, 1)).has_value();
           }},
          check_undo);
}

TEST_F(ChangesKill, ChangingOneLargerFileWithBlobs) {
  try_all("edit with blobs",
          {[](ChangesBench& bench) { bench.files().write("a.txt", std::string(20'000, 'a')); },
           [](ChangesBench& bench) {
             return bench.commit({bench.write("a.txt", std::string(30'000, 'b'))}).has_value();
           }},
          check_undo);
}

TEST_F(ChangesKill, RemovingAndMovingOneFile) {
  const auto build = [](ChangesBench& bench) { bench.files().write("a.txt", "one\ntwo\n"); };
  try_all("remove",
          {build, [](ChangesBench& bench) { return bench.commit({bench.remove("a.txt")}).has_value(); }},
          check_undo);
  try_all("move",
          {build,
           [](ChangesBench& bench) {
             return bench.commit({bench.move("a.txt", "sub/b.txt", "one\n2\n")}).has_value();
           }},
          check_undo);
}

TEST_F(ChangesKill, ChangingAHardLinkedFileInPlace) {
  try_all("in place",
          {[](ChangesBench& bench) {
             bench.files().write("a.txt", std::string(9'000, 'a'));
             std::filesystem::create_hard_link(bench.files().at("a.txt"), bench.files().at("b.txt"));
           },
           [](ChangesBench& bench) {
             FileChange change = bench.write("a.txt", std::string(5'000, 'b') + "end");
             change.hard_links = HardLinks::kWriteInPlace;
             return bench.commit({change}).has_value();
           }},
          check_undo);
}

void build_several(ChangesBench& bench) {
  bench.files().write("edit.txt", "one\ntwo\nthree\n");
  bench.files().write("gone.txt", std::string(6'000, 'g'));
  bench.files().write("from.txt", "moved\n");
}

bool change_several(ChangesBench& bench) {
  return bench
      .commit({bench.write("new/a.txt", "new\n"), bench.write("edit.txt", "one\n2\nthree\n"),
               bench.remove("gone.txt"), bench.move("from.txt", "to/there.txt", "moved\nand changed\n")})
      .has_value();
}

TEST_F(ChangesKill, ChangingSeveralFiles) { try_all("several", {build_several, change_several}, check_undo); }

TEST_F(ChangesKill, ChangingSeveralFilesOfWhichTheLastIsRefused) {
  // A rollback is as crash-safe as a commit.
  std::unique_ptr<ChangesBench> bench;
  Tree before;
  const std::size_t kills = for_each_kill_point(
      [&] {
        bench = std::make_unique<ChangesBench>(kOptions);
        build_several(*bench);
        bench->files().write("linked.txt", "linked\n");
        std::filesystem::create_hard_link(bench->files().at("linked.txt"), bench->files().at("other.txt"));
        before = bench->tree();
      },
      [&] {
        return bench->commit({bench->write("new/a.txt", "new\n"), bench->write("edit.txt", "1\n"),
                              bench->remove("gone.txt"), bench->move("from.txt", "to/there.txt", "x\n"),
                              bench->write("linked.txt", "no\n")})
                       .has_value()
                   ? 1
                   : 0;
      },
      [&](const KillPoint& point) { expect_agreement(*bench, before, before, point); });
  std::printf("rollback: %zu kill points\n", kills);
  EXPECT_GT(kills, 100U / kKillStride);
}

#ifdef __x86_64__
TEST_F(ChangesKill, OnAFileSystemWithoutTmpfileAndExchange) {
  // Few files, because this mode has many more kill points.
  const auto build = [](ChangesBench& bench) {
    bench.files().write("edit.txt", "one\ntwo\nthree\n");
    bench.files().write("from.txt", "moved\n");
  };
  const auto change = [](ChangesBench& bench) {
    return bench
        .commit({bench.write("a.txt", "new\n"), bench.write("edit.txt", "1\n"),
                 bench.move("from.txt", "to.txt", "x\n")})
        .has_value();
  };
  KillOptions named;
  named.refuse = [](long call, const std::uint64_t* arguments) {
    return call == SYS_openat && (arguments[2] & O_TMPFILE) == O_TMPFILE ? EOPNOTSUPP : 0;
  };
  try_all("without unnamed files", {build, change}, check_undo, named);
  KillOptions plain;
  plain.refuse = [](long call, const std::uint64_t*) { return call == SYS_renameat2 ? EINVAL : 0; };
  try_all("without renameat2", {build, change}, check_undo, plain);
}
#endif

TEST_F(ChangesKill, UndoAndRedo) {
  const auto changed = [](ChangesBench& bench) {
    build_several(bench);
    ASSERT_TRUE(change_several(bench));
  };
  try_all("undo", {changed, [](ChangesBench& bench) { return bench.undo().has_value(); }},
          [](ChangesBench& bench, bool is_new) {
            EXPECT_EQ(bench.changes().list({})->undone, is_new ? 1U : 0U);
            EXPECT_TRUE(is_new ? bench.redo().has_value() : bench.undo().has_value());
          });
  try_all("redo",
          {[&](ChangesBench& bench) {
             changed(bench);
             ASSERT_TRUE(bench.undo());
           },
           [](ChangesBench& bench) { return bench.redo().has_value(); }},
          [](ChangesBench& bench, bool is_new) {
            EXPECT_EQ(bench.changes().list({})->undone, is_new ? 0U : 1U);
            EXPECT_TRUE(is_new ? bench.undo().has_value() : bench.redo().has_value());
          });
}

// A commit is killed half-way, then its recovery is killed at every point; the next recovery must succeed.
TEST_F(ChangesKill, RecoveryItself) {
  const auto half_way = [](ChangesBench& bench, std::size_t point) {
    build_several(bench);
    return TracedRun([&] { return change_several(bench) ? 0 : 1; }).kill_at(point);
  };
  Tree before;
  Tree after;
  {
    ChangesBench bench(kOptions);
    build_several(bench);
    before = bench.tree();
    ASSERT_TRUE(change_several(bench));
    after = bench.tree();
  }
  // Find the kill points that leave a partial state.
  std::vector<std::size_t> points;
  for (std::size_t point = 1;; point += kKillStride) {
    ChangesBench bench(kOptions);
    if (half_way(bench, point).completed) break;
    if (bench.tree() != before && bench.tree() != after) points.push_back(point);
  }
  ASSERT_GT(points.size(), 10U / kKillStride);
  constexpr std::size_t kCommits = 3;
  std::size_t kills = 0;
  for (std::size_t i = 0; i < kCommits; ++i) {
    const std::size_t died_at = points[i * (points.size() - 1) / (kCommits - 1)];
    std::unique_ptr<ChangesBench> bench;
    kills += for_each_kill_point(
        [&] {
          bench = std::make_unique<ChangesBench>(kOptions);
          half_way(*bench, died_at);
        },
        [&] { return bench->changes().recover().has_value() ? 0 : 1; },
        [&](const KillPoint& point) {
          EXPECT_TRUE(!point.completed || point.exit_code == 0);
          expect_agreement(*bench, before, after, {point.number, point.system_call});
        });
  }
  std::printf("recovery: %zu kill points, over %zu partial commits\n", kills, kCommits);
  EXPECT_GT(kills, 100U / kKillStride);
}

TEST_F(ChangesKill, ClearingTheHistory) {
  std::unique_ptr<ChangesBench> bench;
  const std::size_t kills = for_each_kill_point(
      [&] {
        bench = std::make_unique<ChangesBench>(kOptions);
        ASSERT_TRUE(bench->commit({bench->write("a.txt", std::string(5'000, 'a'))}));
        ASSERT_TRUE(bench->commit({bench->write("a.txt", std::string(6'000, 'b'))}));
      },
      [&] { return bench->changes().clear({}).has_value() ? 0 : 1; },
      [&](const KillPoint& point) {
        SCOPED_TRACE(point.number);
        ASSERT_TRUE(bench->changes().recover());
        EXPECT_EQ(bench->leftovers(), Tree{});
        const std::size_t total = bench->changes().list({})->total;
        EXPECT_TRUE(total == 0 || total == 2) << total;
      });
  std::printf("clear: %zu kill points\n", kills);
  EXPECT_GT(kills, 20U / kKillStride);
}

}  // namespace
}  // namespace helve::changes
