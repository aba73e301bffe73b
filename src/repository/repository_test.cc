#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/file_io.h"
#include "base/strings.h"
#include "base/test_directory.h"
#include "repository/git_safety.h"
#include "repository/repository_index.h"
#include "workspace/git_config.h"

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
  // Paths and kinds, without inodes.
  std::vector<Found> look() {
    std::vector<Found> found = index_.look().repositories;
    for (Found& each : found) each.inode = 0;
    return found;
  }
  std::vector<Guarded> guard() {
    return snapshot_repositories(directory_.path(), index_.look().repositories);
  }
  // Creates the relevant files of `git init`.
  void init(const std::string& git) {
    make(git + "/objects");
    make(git + "/refs");
    put(git + "/HEAD", "ref: refs/heads/main\n");
    put(git + "/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
    put(git + "/hooks/pre-commit.sample", "#!/bin/sh\n");
  }
  Settled settle_after(const std::vector<Guarded>& before) {
    return settle(directory_.path(), before, index_.look(), quarantine_.at("held"));
  }
  std::vector<Disarmed> disarm(const std::vector<Guarded>& before) { return settle_after(before).disarmed; }
  static std::vector<std::string> paths(const std::vector<Disarmed>& disarmed) {
    std::vector<std::string> all;
    for (const Disarmed& each : disarmed) all.push_back(each.path);
    return all;
  }
  bool is_there(const std::string& path) { return fs::exists(fs::symlink_status(directory_.at(path))); }

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

TEST_F(RepositoryTest, NoticesNewAndRemovedRepositories) {
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

TEST_F(RepositoryTest, FindsOtherSpellingsOfGit) {
  init(".GIT");
  EXPECT_EQ(look(), (std::vector<Found>{{".GIT", Kind::kDirectory}}));
}

TEST_F(RepositoryTest, DoesNotFollowSymlinksOutOfTheWorkspace) {
  TestDirectory outside;
  fs::create_directories(outside.at("x/.git"));
  fs::create_directory_symlink(outside.path(), directory_.at("out"));
  EXPECT_TRUE(look().empty());
}

TEST_F(RepositoryTest, ExecutablePartsAreHooksAndSettingsIncludingThoseOfSubmodules) {
  init(".git");
  init(".git/modules/sub");
  const std::string git = directory_.at(".git");
  EXPECT_EQ(executable_parts(git, directory_.path()),
            (std::vector<std::string>{git + "/hooks/", git + "/config", git + "/modules/sub/hooks/",
                                      git + "/modules/sub/config"}));
  put(".husky/pre-commit", "#!/bin/sh\n");
  put("more.gitconfig", "");
  put(".git/config", "[core]\n\thooksPath = .husky\n[include]\n\tpath = ../more.gitconfig\n");
  const auto named = executable_parts(git, directory_.path());
  EXPECT_THAT(named, ::testing::Contains(concat(directory_.at(".husky"), "/")));
  EXPECT_THAT(named, ::testing::Contains(directory_.at("more.gitconfig")));
}

TEST_F(RepositoryTest, MovesHooksOfANewRepositoryIntoTheQuarantine) {
  init(".git");
  put(".git/hooks/post-commit", "#!/bin/sh\necho mine\n");
  const auto before = guard();
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
  EXPECT_TRUE(fs::exists(directory_.at(".git/hooks/post-commit"))) << "it existed before";
  std::size_t held = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(quarantine_.at("held"))) ++held;
  EXPECT_EQ(held, 2U);
}

TEST_F(RepositoryTest, ReducesTheSettingsOfANewRepository) {
  init("sub/.git");
  put("sub/.git/config",
      "[core]\n\tbare = false\n\tfsmonitor = /tmp/evil\n[remote \"origin\"]\n\turl = ext::sh -c evil\n"
      "\tfetch = +refs/heads/*:refs/remotes/origin/*\n[alias] st = !evil\n[user]\n\tname = Ada\n");
  const auto disarmed = disarm({});
  ASSERT_EQ(disarmed.size(), 1U);
  EXPECT_EQ(disarmed[0].path, "sub/.git/config");
  EXPECT_EQ(disarmed[0].dropped,
            (std::vector<std::string>{"core.fsmonitor", "remote.origin.url", "alias.st"}));
  EXPECT_EQ(get("sub/.git/config"),
            "[core]\n\tbare = false\n[remote \"origin\"]\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
            "[user]\n\tname = Ada\n");
}

TEST_F(RepositoryTest, RemovesSymlinksInPlaceOfHooksOrSettings) {
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
  EXPECT_TRUE(fs::exists(outside.at("config"))) << "the target of the symlink is not modified";
}

TEST_F(RepositoryTest, DoesNotChangeAnOrdinaryNewRepository) {
  init("sub/.git");
  const std::string before = get("sub/.git/config");
  EXPECT_TRUE(disarm({}).empty());
  EXPECT_EQ(get("sub/.git/config"), before);
}

TEST_F(RepositoryTest, ARepositoryThatReplacesAnotherIsNew) {
  init("sub/.git");
  const auto before = guard();
  fs::rename(directory_.at("sub"), directory_.at("moved"));
  init("sub/.git");
  put("sub/.git/config", "[core]\n\tfsmonitor = evil\n");
  EXPECT_EQ(paths(disarm(before)), (std::vector<std::string>{"sub/.git/config"}));
}

TEST_F(RepositoryTest, FindsGitDirectoriesUnderAnyName) {
  init("s/g");
  fs::rename(directory_.at("s/g/objects"), directory_.at("s/o"));
  fs::create_directory_symlink("../o", directory_.at("s/g/objects"));
  put("s/g/config", "[core]\n\tfsmonitor = evil\n");
  put("s/.git", "gitdir: g\n");
  EXPECT_EQ(paths(disarm({})), (std::vector<std::string>{"s/g/config"}));
}

TEST_F(RepositoryTest, TheWorkspaceItselfCanBeARepository) {
  make("objects");
  make("refs");
  put("HEAD", "ref: refs/heads/main\n");
  put("config", "[core]\n\tfsmonitor = evil\n");
  EXPECT_EQ(paths(disarm({})), (std::vector<std::string>{"/config"}));
}

TEST_F(RepositoryTest, RemovesRedirectionsOfSettings) {
  init(".git");
  init("kept/.git/worktrees/w");
  init("kept/.git");
  put("kept/.git/worktrees/w/commondir", "../..\n");
  const auto before = guard();
  put(".git/commondir", "../evil\n");
  put(".git/config.worktree", "[core]\n\tpager = evil\n");
  init("s/.git");
  put("s/.git/commondir", "../c\n");
  EXPECT_EQ(paths(disarm(before)),
            (std::vector<std::string>{".git/commondir", ".git/config.worktree", "s/.git/commondir"}));
  EXPECT_FALSE(is_there(".git/commondir"));
  EXPECT_TRUE(is_there("kept/.git/worktrees/w/commondir"));
}

TEST_F(RepositoryTest, FindsRepositoriesInLockedDirectories) {
  init("s/.git");
  put("s/.git/hooks/post-commit", "#!/bin/sh\n");
  fs::permissions(directory_.at("s/.git/hooks"), fs::perms::owner_exec);
  fs::permissions(directory_.at("s/.git"), fs::perms::owner_exec);
  fs::permissions(directory_.at("s"), fs::perms::owner_exec);
  const auto disarmed = disarm({});
  fs::permissions(directory_.at("s"), fs::perms::owner_all);
  EXPECT_EQ(paths(disarmed), (std::vector<std::string>{"s/.git/hooks/post-commit"}));
}

TEST_F(RepositoryTest, ReportsChangesInAKnownRepositoryAndKeepsThem) {
  init(".git");
  put(".git/config", "[alias]\n\tmine = !true\n");
  const auto before = guard();
  EXPECT_TRUE(settle_after(before).changed.empty());
  put(".git/config", "[alias]\n\tmine = !true\n\tother = !evil\n");
  const Settled settled = settle_after(before);
  EXPECT_EQ(settled.changed, (std::vector<std::string>{".git"}));
  EXPECT_TRUE(settled.disarmed.empty());
  EXPECT_THAT(get(".git/config"), ::testing::HasSubstr("other"));
}

TEST_F(RepositoryTest, BreaksHardLinksOfSettings) {
  init(".git");
  fs::create_hard_link(directory_.at(".git/config"), directory_.at("alias"));
  const std::string text = get(".git/config");
  break_hard_links(directory_.at(".git"));
  put("alias", "[core]\n\tfsmonitor = evil\n");
  EXPECT_EQ(get(".git/config"), text);
}

TEST(HarmlessSettings, AreParsedAsInGit) {
  struct Case {
    std::string_view text;
    std::string_view kept;
    std::vector<std::string> dropped;
  };
  const Case cases[] = {
      {"[submodule \"x\"]\n\tupdate = !evil\n\tpath = x\n",
       "[submodule \"x\"]\n\tpath = x\n",
       {"submodule.x.update"}},
      {"[user]\n name = a\\\n b\n", "[user]\n\tname = a b\n", {}},
      {"[user] name = \"A \\\"B\\\" #c\" ; why\n", "[user]\n\tname = \"A \\\"B\\\" #c\"\n", {}},
      {"[credential]\n\thelper = evil\n[include]\n\tpath = /tmp/x\n",
       "",
       {"credential.helper", "include.path"}},
      {"[remote \"o\"] uploadpack = \"evil\" ;]\n\turl = .\n",
       "[remote \"o\"]\n\turl = .\n",
       {"remote.o.uploadpack"}},
      {"[remote \"o\"]\n\turl = ext:\":\"sh\n", "", {"remote.o.url"}},
      {"[remote \"a]\\\"b\"]\n\turl = x\n", "[remote \"a]\\\"b\"]\n\turl = x\n", {}},
      {"[alias]\n\tst = status\n", "", {"alias.st"}},
      {"[core\nfsmonitor = x\n", "", {"(unparsable lines)"}},
      {"[core]\n\tbare\n", "[core]\n\tbare\n", {}},
  };
  for (const Case& each : cases) {
    std::vector<std::string> dropped;
    EXPECT_EQ(workspace::harmless_settings(each.text, dropped), each.kept) << each.text;
    EXPECT_EQ(dropped, each.dropped) << each.text;
  }
}

}  // namespace
}  // namespace helve::repository
