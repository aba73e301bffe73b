#include "core/unsettled_commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/strings.h"
#include "base/test_directory.h"

namespace helve::core {
namespace {

namespace fs = std::filesystem;

class UnsettledCommandsTest : public ::testing::Test {
 protected:
  UnsettledCommandsTest() { fs::create_directories(workspace()); }

  std::string workspace() const { return directory_.at("work/space"); }
  std::string state() const { return directory_.at("state"); }
  void put(const std::string& path, std::string_view text) const {
    fs::create_directories(fs::path(directory_.at(path)).parent_path());
    std::ofstream(directory_.at(path)) << text;
  }
  void make_armed(const std::string& git) const {
    fs::create_directories(directory_.at(git + "/objects"));
    fs::create_directories(directory_.at(git + "/refs"));
    put(git + "/HEAD", "ref: refs/heads/main\n");
    put(git + "/config", "[core]\n\tbare = false\n\tpager = evil\n");
    put(git + "/hooks/post-commit", "#!/bin/sh\n");
  }
  bool is_armed(const std::string& git) const {
    return fs::exists(directory_.at(git + "/hooks/post-commit")) &&
           read_file(directory_.at(git + "/config")).value_or("").find("evil") != std::string::npos;
  }
  // With one note; its end is what the kernel does when a Helve is killed.
  std::unique_ptr<UnsettledNotes> write() {
    repository::RepositoryIndex index(workspace());
    auto notes = UnsettledNotes::open(state()).value();
    note_ = notes
                ->write({.workspace = workspace(),
                         .quarantine = directory_.at("held"),
                         .before = repository::snapshot_repositories(workspace(), index.look().repositories)})
                .value();
    return notes;
  }
  std::vector<SettledLater> settle(const std::string& at) const { return settle_left_over(state(), at); }
  // Notes and locks.
  std::size_t files() const {
    std::size_t count = 0;
    std::error_code none;
    for (fs::directory_iterator entry(state() + "/unsettled", none), end; entry != end; ++entry) ++count;
    return count;
  }

  TestDirectory directory_;
  std::string note_;
};

TEST_F(UnsettledCommandsTest, WhatAKilledHelveLeftIsDoneAndOnlyOnce) {
  make_armed("work/space/users/.git");
  make_armed("work/space/end");  // bare, and with a name that is no mark of ours
  auto notes = write();
  make_armed("work/space/new\nline/.git");
  notes.reset();
  const auto later = settle(workspace());
  ASSERT_EQ(later.size(), 1U);
  ASSERT_EQ(later[0].settled.disarmed.size(), 2U);
  EXPECT_EQ(later[0].settled.disarmed[0].path, "new\nline/.git/hooks/post-commit");
  EXPECT_EQ(later[0].settled.trouble, "");
  EXPECT_TRUE(later[0].settled.changed.empty());
  EXPECT_FALSE(is_armed("work/space/new\nline/.git"));
  EXPECT_TRUE(is_armed("work/space/users/.git")) << "was there before";
  EXPECT_TRUE(is_armed("work/space/end")) << "was there before";
  EXPECT_TRUE(settle(workspace()).empty());
  EXPECT_EQ(files(), 0U);
}

TEST_F(UnsettledCommandsTest, ANoteOfAHelveThatLivesIsLeftAlone) {
  auto notes = write();
  make_armed("work/space/new/.git");
  EXPECT_TRUE(settle(workspace()).empty());
  EXPECT_TRUE(is_armed("work/space/new/.git"));
  notes->remove(note_);
  notes.reset();
  EXPECT_EQ(files(), 0U);
  EXPECT_TRUE(settle(workspace()).empty());
  EXPECT_TRUE(is_armed("work/space/new/.git")) << "a removed note asks for nothing";
}

TEST_F(UnsettledCommandsTest, AStartAboveOrInsideDoesItTooAndOneElsewhereDoesNot) {
  for (const auto& [at, done] : {std::pair{directory_.at("elsewhere"), false},
                                 {directory_.at("work/space2"), false},
                                 {directory_.at("work"), true},
                                 {directory_.at("work/space/sub"), true}}) {
    write().reset();
    make_armed("work/space/new/.git");
    EXPECT_EQ(!settle(at).empty(), done) << at;
    EXPECT_EQ(is_armed("work/space/new/.git"), !done) << at;
    settle(workspace());
    fs::remove_all(directory_.at("work/space/new"));
  }
}

TEST_F(UnsettledCommandsTest, AnotherDirectoryAtTheSamePlaceIsNotTouched) {
  write().reset();
  fs::rename(workspace(), directory_.at("work/moved"));
  make_armed("work/space/new/.git");
  EXPECT_TRUE(settle(workspace()).empty());
  EXPECT_TRUE(is_armed("work/space/new/.git"));
  EXPECT_EQ(files(), 0U);
}

TEST_F(UnsettledCommandsTest, ANoteThatWasNotFinishedIsForgotten) {
  for (const std::size_t length : {0U, 10U, 60U}) {
    write().reset();
    const std::string whole = read_file(note_).value();
    ASSERT_LT(length, whole.size());
    std::ofstream(note_) << whole.substr(0, length);
    make_armed("work/space/new/.git");
    EXPECT_TRUE(settle(workspace()).empty()) << length;
    EXPECT_TRUE(is_armed("work/space/new/.git")) << length;
    EXPECT_EQ(files(), 0U) << length;
  }
}

TEST_F(UnsettledCommandsTest, ANoteIsPrivateAndHasNoSecretsInIt) {
  make_armed("work/space/users/.git");
  put("work/space/users/.git/config", "[http]\n\textraHeader = \"Authorization: hunter2\"\n");
  const auto notes = write();
  EXPECT_EQ(fs::status(note_).permissions() & fs::perms::all, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_THAT(read_file(note_).value(), ::testing::Not(::testing::HasSubstr("hunter2")));
  EXPECT_EQ(files(), 2U);
}

}  // namespace
}  // namespace helve::core
