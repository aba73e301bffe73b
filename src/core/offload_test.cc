#include "core/offload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/file_io.h"
#include "core/session_state.h"
#include "core/testing.h"

namespace helve::core {
namespace {

namespace fs = std::filesystem;

class OffloadTest : public ::testing::Test {
 protected:
  Session session(const std::string& id = "ses_now") {
    return Session({.id = id,
                    .output_directory = sessions_ + "/" + id + "/output",
                    .permissions = std::make_shared<ModePermissions>(Mode::kFull),
                    .state = std::make_shared<SessionState>(sessions_ + "/" + id)});
  }
  void make_old_session(const std::string& id, int days, std::size_t bytes) {
    const std::string path = sessions_ + "/" + id + "/output/1-x.txt";
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << std::string(bytes, 'x');
    const auto then = fs::file_time_type::clock::now() - std::chrono::days(days);
    for (fs::path at = path; at != sessions_; at = at.parent_path()) fs::last_write_time(at, then);
  }

  TestDirectory directory_;
  std::string sessions_ = directory_.at("sessions");
  ResultSettings settings_;
  Logger logger_{LogLevel::kError};
};

TEST_F(OffloadTest, LeavesShortResultsAlone) {
  Offload offload(settings_, sessions_, logger_);
  Output output{.content = std::string(5000, 'x')};
  offload.bound(output, "grep", 5000, session());
  EXPECT_EQ(output.content.size(), 5000U);
  EXPECT_FALSE(fs::exists(sessions_));
}

TEST_F(OffloadTest, CountsCharactersNotBytes) {
  Offload offload(settings_, sessions_, logger_);
  Output output;
  for (int i = 0; i < 5000; ++i) output.content += "ü";
  offload.bound(output, "grep", 5000, session());
  EXPECT_FALSE(output.truncated);
}

TEST_F(OffloadTest, GivesSizePathHeadAndLastLines) {
  Offload offload(settings_, sessions_, logger_);
  Output output;
  for (int i = 1; i <= 2000; ++i) output.content += "line " + std::to_string(i) + "\n";
  const std::string whole = output.content;
  offload.bound(output, "grep", 5000, session());
  const std::string path = output.data.find("offloaded")->find("path")->as_string();
  EXPECT_TRUE(path.starts_with(sessions_ + "/ses_now/output/grep_")) << path;
  EXPECT_EQ(read_file(path).value(), whole);
  EXPECT_TRUE(output.content.starts_with(
      "The result is long: 18,893 characters in 2,001 lines. All of it is in " + path + "\n"))
      << output.content;
  EXPECT_THAT(output.content, ::testing::HasSubstr("line 1\n"));
  EXPECT_TRUE(output.content.ends_with("line 2000\n"));
  EXPECT_LT(output.content.size(), 2600U);
}

TEST_F(OffloadTest, CutsAndSaysSoWhenTheFileCannotBeWritten) {
  std::ofstream(sessions_) << "in the way";
  logger_.log(LogLevel::kDebug, "");
  Offload offload(settings_, sessions_, logger_);
  Output output{.content = std::string(10'000, 'x')};
  offload.bound(output, "grep", 5000, session());
  EXPECT_TRUE(output.truncated);
  EXPECT_THAT(output.content, ::testing::HasSubstr("It could not be kept"));
  EXPECT_LT(output.content.size(), 2600U);
}

TEST_F(OffloadTest, RemovesOldSessionsByAgeAndSpaceAndOldFilesOfTheCurrentOne) {
  settings_.keep_days = 7;
  settings_.keep_megabytes = 3;
  make_old_session("ses_ancient", 8, 10);
  make_old_session("ses_big_old", 3, 2 << 20);
  make_old_session("ses_big_new", 2, 2 << 20);
  make_old_session("ses_now", 30, 10);
  make_old_session("ses_now/recent", 1, 10);
  Offload offload(settings_, sessions_, logger_);
  Output output{.content = std::string(10'000, 'x')};
  offload.bound(output, "grep", 5000, session());
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(sessions_)) left.push_back(entry.path().filename());
  std::ranges::sort(left);
  EXPECT_EQ(left, (std::vector<std::string>{"ses_big_new", "ses_now"}));
  EXPECT_FALSE(fs::exists(sessions_ + "/ses_now/output/1-x.txt"));
  EXPECT_TRUE(fs::exists(sessions_ + "/ses_now/recent/output/1-x.txt"));
}

TEST_F(OffloadTest, NeverTouchesASessionThatSomebodyUsesNorWhatCommandsKeep) {
  settings_.keep_days = 7;
  make_old_session("ses_live", 8, 10);
  make_old_session("ses_now", 8, 10);
  fs::create_directories(sessions_ + "/ses_now/tmp");
  fs::rename(sessions_ + "/ses_now/output/1-x.txt", sessions_ + "/ses_now/tmp/unpacked.txt");
  SessionDirectory live(sessions_ + "/ses_live", SessionDirectory::AtTheEnd::kIsKept);
  live.hold();
  Offload offload(settings_, sessions_, logger_);
  Output output{.content = std::string(10'000, 'x')};
  offload.bound(output, "grep", 5000, session());
  EXPECT_TRUE(fs::exists(sessions_ + "/ses_live/output/1-x.txt"));
  EXPECT_TRUE(fs::exists(sessions_ + "/ses_now/tmp/unpacked.txt"));
}

TEST_F(OffloadTest, LimitsCanBeSetPerTool) {
  settings_.limits["grep"] = 9000;
  const Offload offload(settings_, sessions_, logger_);
  EXPECT_EQ(offload.limit_for("grep", 5000), 9000U);
  EXPECT_EQ(offload.limit_for("ls", 5000), 5000U);
  EXPECT_EQ(offload.limit_for("read", std::nullopt), 50'000U);
}

}  // namespace
}  // namespace helve::core
