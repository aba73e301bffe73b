// Tests with many processes on one database, some of them killed while they write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/strings.h"
#include "store/sqlite.h"
#include "store/testing.h"

namespace helve::store {
namespace {

using Clock = std::chrono::steady_clock;

class SqliteProcessesTest : public ::testing::Test {
 public:
  ~SqliteProcessesTest() override {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  }
  pid_t start(const std::function<int()>& work) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work());
    children_.push_back(child);
    return child;
  }
  // Returns the exit code, or 128 plus the signal.
  int wait_for(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    std::erase(children_, child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  TestDirectory directory_;
  std::vector<pid_t> children_;
};

// Saves its own snippets one after the other and records the number of the last confirmed save in a file.
int save_until(const TestDirectory& directory, int worker, Clock::time_point end) {
  for (int number = 0; number < 2 || Clock::now() < end;) {
    auto store = open_sqlite_store({.directory = directory.at("store")});
    if (!store) {
      directory.write(concat("error-", worker), store.error().message);
      return 1;
    }
    // Some workers keep the store open, others reopen it for each save.
    const int in_a_row = worker % 2 == 0 ? 1 : 10;
    for (int i = 0; i < in_a_row && (number < 2 || Clock::now() < end); ++i, ++number) {
      const std::string name = concat("w", worker, "-", number);
      auto saved =
          (*store)->snippets().save({.name = name, .code = concat("code of ", name), .tags = {"storm"}});
      if (saved) directory.write(concat("saved-", worker), std::to_string(number));
      auto loaded = saved ? (*store)->snippets().load(name) : fail(saved.error());
      if (!loaded || loaded->code != concat("code of ", name)) {
        directory.write(concat("error-", worker), loaded ? "other code" : loaded.error().message);
        return 1;
      }
      if (auto shared = (*store)->snippets().save({.name = "shared", .code = name}); !shared) {
        directory.write(concat("error-", worker), shared.error().message);
        return 1;
      }
    }
  }
  return 0;
}

TEST_F(SqliteProcessesTest, SixteenProcessesSaveWhileSomeAreKilled) {
  constexpr int kWorkers = 16;
  const auto end = Clock::now() + std::chrono::seconds(3);
  std::vector<pid_t> workers;
  for (int worker = 0; worker < kWorkers; ++worker)
    workers.push_back(start([&, worker] {
      return save_until(directory_, worker, worker % 4 == 0 ? Clock::time_point::max() : end);
    }));
  // Every fourth worker runs until it is killed.
  for (int worker = 0; worker < kWorkers; worker += 4) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    // On a busy machine it may not have started yet.
    for (int i = 0; i < 1'000 && directory_.read(concat("saved-", worker)).empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ::kill(workers[static_cast<std::size_t>(worker)], SIGKILL);
  }
  for (int worker = 0; worker < kWorkers; ++worker) {
    const int expected = worker % 4 == 0 ? 128 + SIGKILL : 0;
    EXPECT_EQ(wait_for(workers[static_cast<std::size_t>(worker)]), expected)
        << worker << ": " << directory_.read(concat("error-", worker));
  }
  auto store = open_store(directory_.at("store"));
  EXPECT_EQ(store->check()->problems, std::vector<std::string>{});
  std::size_t least = 0;
  for (int worker = 0; worker < kWorkers; ++worker) {
    const std::string last = directory_.read(concat("saved-", worker));
    for (int number = 0; !last.empty() && number <= std::stoi(last); ++number, ++least) {
      const std::string name = concat("w", worker, "-", number);
      const auto loaded = store->snippets().load(name);
      ASSERT_TRUE(loaded) << name << " was lost";
      EXPECT_EQ(loaded->code, concat("code of ", name));
    }
  }
  EXPECT_GT(least, 16U);
  const auto list = store->snippets().list({.query = "code of", .most = 1}).value();
  EXPECT_GE(list.total, least);
}

TEST_F(SqliteProcessesTest, TwoProcessesCannotContinueTheSameSession) {
  open_store(directory_.path())->sessions().create({.id = "one"}).value();
  std::vector<pid_t> workers;
  for (int worker = 0; worker < 4; ++worker)
    workers.push_back(start([&] {
      auto store = open_sqlite_store({.directory = directory_.path()});
      if (!store) return 100;
      int won = 0;
      for (std::uint64_t seq = 0; seq < 20; ++seq) {
        const auto step = (*store)->sessions().append("one", {.events = {{"e", "x"}}, .after_seq = seq});
        if (!step && step.error().code != ErrorCode::kConflict) return 101;
        if (step) ++won;
      }
      return won;
    }));
  int won = 0;
  for (const pid_t worker : workers) won += wait_for(worker);
  EXPECT_LE(won, 20);
  EXPECT_EQ(static_cast<std::uint64_t>(won), open_store(directory_.path())->sessions().load("one")->last_seq);
}

TEST_F(SqliteProcessesTest, ReportsABusyDatabaseAfterTheTimeout) {
  auto holder = open_store(directory_.path());
  auto database = Database::open(directory_.at("helve.db"), {}).value();
  ASSERT_TRUE(database.run("BEGIN IMMEDIATE"));
  auto store =
      open_sqlite_store({.directory = directory_.path(), .timeout = std::chrono::milliseconds(30)}).value();
  const auto saved = store->snippets().save({.name = "a", .code = "x"});
  EXPECT_EQ(saved.error().code, ErrorCode::kUnavailable);
  EXPECT_TRUE(saved.error().transient);
  EXPECT_THAT(saved.error().message, ::testing::HasSubstr("is in use by another process"));
  EXPECT_TRUE(store->snippets().list({}));  // reading still works
  ASSERT_TRUE(database.run("ROLLBACK"));
  EXPECT_TRUE(store->snippets().save({.name = "a", .code = "x"}));
}

}  // namespace
}  // namespace helve::store
