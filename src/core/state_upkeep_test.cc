#include "core/state_upkeep.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "base/strings.h"
#include "base/test_directory.h"
#include "core/shared_store.h"
#include "helve/settings.h"

namespace helve::core {
namespace {

namespace fs = std::filesystem;

class StateUpkeepTest : public ::testing::Test {
 protected:
  // With what is above it, as everything in it is that old.
  void put(const std::string& path, int days_old, std::size_t bytes = 10) {
    fs::create_directories(fs::path(directory_.at(path)).parent_path());
    directory_.write(path, std::string(bytes, 'x'));
    const auto time = fs::file_time_type::clock::now() - std::chrono::days(days_old);
    for (fs::path at = directory_.at(path); at != directory_.path(); at = at.parent_path())
      fs::last_write_time(at, time);
  }
  bool exists(const std::string& path) { return fs::exists(directory_.at(path)); }
  void tidy() { tidy_state(places_, settings_); }

  TestDirectory directory_;
  StatePlaces places_{.state_directory = directory_.at("state"), .data_directory = directory_.at("data")};
  Settings settings_;
};

TEST_F(StateUpkeepTest, AnEmptyPlaceIsLeftAlone) {
  tidy();
  EXPECT_FALSE(exists("state"));
  EXPECT_FALSE(exists("data")) << "no store is made for this";
}

TEST_F(StateUpkeepTest, HistoriesGoWhenNothingInThemCanBeUndone) {
  put("state/history/old/blobs/1", 91);
  put("state/history/interrupted/active/1", 91);
  put("state/history/recent/blobs/1", 91);
  put("state/history/recent/log", 89);
  tidy();
  EXPECT_FALSE(exists("state/history/old"));
  EXPECT_TRUE(exists("state/history/interrupted/active/1")) << "recovery needs it";
  EXPECT_TRUE(exists("state/history/recent/blobs/1"));
}

TEST_F(StateUpkeepTest, CachesGoByAgeAndThenBySpace) {
  settings_.caches.keep_megabytes = 1;
  put("state/code/old.symbols", 91);
  put("state/code/first.symbols", 1, 600'000);
  put("state/code/second.symbols", 2, 600'000);
  put("state/mcp/tools/server.json", 0);
  put("state/mcp/tokens/login.json", 400);
  tidy();
  EXPECT_FALSE(exists("state/code/old.symbols"));
  EXPECT_TRUE(exists("state/code/first.symbols"));
  EXPECT_FALSE(exists("state/code/second.symbols")) << "the one unused for longer";
  EXPECT_TRUE(exists("state/mcp/tools/server.json"));
  EXPECT_TRUE(exists("state/mcp/tokens/login.json")) << "no cache: the user would have to log in again";
}

TEST_F(StateUpkeepTest, OutputsOfOldSessionsGo) {
  put("state/sessions/old/output/a.txt", 8);
  put("state/sessions/recent/output/a.txt", 6);
  tidy();
  EXPECT_FALSE(exists("state/sessions/old"));
  EXPECT_TRUE(exists("state/sessions/recent/output/a.txt"));
}

TEST_F(StateUpkeepTest, AgentSessionsBeyondTheLimitGoTheOldestFirst) {
  SharedStore shared(store_directory(places_.data_directory));
  auto& sessions = (*shared.open())->sessions();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(sessions.create({.id = concat("s", i)}));
  settings_.agent.keep_sessions = 0;
  tidy();
  EXPECT_EQ(sessions.list({})->total, 5U) << "0 keeps all";
  settings_.agent.keep_sessions = 2;
  tidy();
  const auto left = sessions.list({});
  ASSERT_EQ(left->total, 2U);
  EXPECT_EQ(left->sessions[0].id, "s4");
  EXPECT_EQ(left->sessions[1].id, "s3");
}

TEST_F(StateUpkeepTest, IsDoneByOneProcessNowAndThen) {
  put("state/code/old.symbols", 91);
  tidy_state_if_due(places_, settings_);
  EXPECT_TRUE(exists("state/code/old.symbols")) << "the hour begins";
  put("state/tidied", 1);
  {
    const auto tidying = keep_state_tidy(places_, settings_, std::chrono::milliseconds(0));
    for (int i = 0; i < 2000 && exists("state/code/old.symbols"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_FALSE(exists("state/code/old.symbols"));
  put("state/code/other.symbols", 91);
  {
    const auto tidying = keep_state_tidy(places_, settings_, std::chrono::milliseconds(0));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(exists("state/code/other.symbols")) << "it was done a moment ago";
}

}  // namespace
}  // namespace helve::core
