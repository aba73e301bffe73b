#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/file_io.h"
#include "base/strings.h"
#include "repository/armed_parts.h"
#include "repository/disarm.h"
#include "repository/repository_index.h"
#include "workspace/test_directory.h"

namespace helve::repository {
namespace {

namespace fs = std::filesystem;
using Kind = Found::Kind;

class RepositoryTest : public ::testing::Test {
 protected:
  void make(const std::string& path) { fs::create_directories(directory_.at(path)); }
  void put(const std::string& path, std::string_view text) {
    fs::create_directories(fs::path(directory_.at(path)).parent_path());
    std::ofstream(directory_.at(path)) << text;
  }
  std::string get(const std::string& path) { return read_file(directory_.at(path)).value_or(""); }
  std::vector<Found> look() { return index_.look().repositories; }
  // What `git init` makes, as far as it matters.
  void init(const std::string& git) {
    make(git + "/objects");
    make(git + "/refs");
    put(git + "/HEAD", "ref: refs/heads/main\n");
    put(git + "/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
    put(git + "/hooks/pre-commit.sample", "#!/bin/sh\n");
  }
  std::vector<Disarmed> disarm(const std::vector<Found>& before) {
    return disarm_new(directory_.path(), before, look(), quarantine_.at("held")).value();
  }

  TestDirectory directory_;
  TestDirectory quarantine_;
  RepositoryIndex index_{directory_.path()};
};

TEST_F(RepositoryTest, FindsRepositoriesAtAnyDepth) {
  init(".git");
  init("vendor/a/b/.git");
  init("mirror.git");
  init(".git/modules/sub");
  put("worktree/.git", "gitdir: ../.git/worktrees/w\n");
  EXPECT_EQ(look(), (std::vector<Found>{{".git", Kind::kDirectory},
                                        {".git/modules/sub", Kind::kBare},
                                        {"mirror.git", Kind::kBare},
                                        {"vendor/a/b/.git", Kind::kDirectory},
                                        {"worktree/.git", Kind::kPointer}}));
}

TEST_F(RepositoryTest, NoticesWhatComesAndGoes) {
  make("a-b");
  make("a/deep/er");
  EXPECT_TRUE(look().empty());
  init("a/deep/er/.git");
  EXPECT_EQ(look(), (std::vector<Found>{{"a/deep/er/.git", Kind::kDirectory}}));
  fs::rename(directory_.at("a"), directory_.at("moved"));
  EXPECT_EQ(look(), (std::vector<Found>{{"moved/deep/er/.git", Kind::kDirectory}}));
  init(".git");
  init(".git/modules/x");
  EXPECT_EQ(look().size(), 3U);
  fs::remove_all(directory_.at("moved"));
  fs::remove_all(directory_.at(".git/modules"));
  EXPECT_EQ(look(), (std::vector<Found>{{".git", Kind::kDirectory}}));
}

TEST_F(RepositoryTest, SeesOtherSpellingsOfGit) {
  init(".GIT");
  EXPECT_EQ(look(), (std::vector<Found>{{".GIT", Kind::kDirectory}}));
}

TEST_F(RepositoryTest, FollowsNoLinkOutOfTheWorkspace) {
  TestDirectory outside;
  fs::create_directories(outside.at("x/.git"));
  fs::create_directory_symlink(outside.path(), directory_.at("out"));
  EXPECT_TRUE(look().empty());
}

TEST_F(RepositoryTest, ArmedPartsAreHooksAndSettingsAlsoOfSubmodules) {
  init(".git");
  init(".git/modules/sub");
  const std::string git = directory_.at(".git");
  EXPECT_EQ(armed_parts(git),
            (std::vector<std::string>{git + "/hooks", git + "/config", git + "/config.worktree",
                                      git + "/modules/sub/hooks", git + "/modules/sub/config",
                                      git + "/modules/sub/config.worktree"}));
}

TEST_F(RepositoryTest, TakesHooksOutOfAFreshRepositoryAndKeepsThem) {
  init(".git");
  put(".git/hooks/post-commit", "#!/bin/sh\necho mine\n");
  const auto before = look();
  init("sub/.git");
  put("sub/.git/hooks/post-commit", "#!/bin/sh\ntouch /tmp/evil\n");
  init("bare.git");
  put("bare.git/hooks/update", "#!/bin/sh\n");
  const auto disarmed = disarm(before);
  ASSERT_EQ(disarmed.size(), 2U);
  EXPECT_EQ(disarmed[0].path, "bare.git/hooks/update");
  EXPECT_EQ(disarmed[1].path, "sub/.git/hooks/post-commit");
  EXPECT_FALSE(fs::exists(directory_.at("sub/.git/hooks/post-commit")));
  EXPECT_TRUE(fs::exists(directory_.at("sub/.git/hooks/pre-commit.sample")));
  EXPECT_TRUE(fs::exists(directory_.at(".git/hooks/post-commit"))) << "was there before";
  std::size_t held = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(quarantine_.at("held"))) ++held;
  EXPECT_EQ(held, 2U);
}

TEST_F(RepositoryTest, ReducesTheSettingsOfAFreshRepository) {
  init("sub/.git");
  put("sub/.git/config",
      "[core]\n\tbare = false\n\tfsmonitor = /tmp/evil\n[remote \"origin\"]\n\turl = ext::sh -c evil\n"
      "\tfetch = +refs/heads/*:refs/remotes/origin/*\n[alias] st = !evil\n[user]\n\tname = Ada\n");
  const auto disarmed = disarm({});
  ASSERT_EQ(disarmed.size(), 1U);
  EXPECT_EQ(disarmed[0].path, "sub/.git/config");
  EXPECT_EQ(disarmed[0].dropped, (std::vector<std::string>{"core.fsmonitor", "remote.url", "alias.st"}));
  EXPECT_EQ(get("sub/.git/config"),
            "[core]\n\tbare = false\n[remote \"origin\"]\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
            "[user]\n\tname = Ada\n");
}

TEST_F(RepositoryTest, ReplacesLinksThatStandForHooksOrSettings) {
  TestDirectory outside;
  std::ofstream(outside.at("config")) << "[core]\n\tfsmonitor = evil\n";
  init("sub/.git");
  fs::remove(directory_.at("sub/.git/config"));
  fs::create_symlink(outside.at("config"), directory_.at("sub/.git/config"));
  fs::remove_all(directory_.at("sub/.git/hooks"));
  fs::create_directory_symlink(outside.path(), directory_.at("sub/.git/hooks"));
  EXPECT_EQ(disarm({}).size(), 2U);
  EXPECT_FALSE(fs::is_symlink(fs::symlink_status(directory_.at("sub/.git/hooks"))));
  EXPECT_FALSE(fs::is_symlink(fs::symlink_status(directory_.at("sub/.git/config"))));
  EXPECT_TRUE(fs::exists(outside.at("config"))) << "what the link led to is not touched";
}

TEST_F(RepositoryTest, LeavesAnOrdinaryFreshRepositoryAlone) {
  init("sub/.git");
  const std::string before = get("sub/.git/config");
  EXPECT_TRUE(disarm({}).empty());
  EXPECT_EQ(get("sub/.git/config"), before);
}

TEST(HarmlessSettings, DropsContinuedLinesAndPrograms) {
  std::vector<std::string> dropped;
  EXPECT_EQ(harmless_settings("[submodule \"x\"]\n\tupdate = !evil\n\tpath = x\n[user]\n name = a\\\n b\n"
                              "[credential]\n\thelper = evil\n[include]\n\tpath = /tmp/x\n",
                              dropped),
            "[submodule \"x\"]\n\tpath = x\n");
  EXPECT_EQ(dropped, (std::vector<std::string>{"submodule.update", "user.name", "user.b", "credential.helper",
                                               "include.path"}));
}

}  // namespace
}  // namespace helve::repository
