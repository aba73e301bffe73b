#include <gtest/gtest.h>

#include "base/test_directory.h"
#include "search/ignore_rules.h"
#include "search/walk_testing.h"

namespace helve::search {
namespace {

TEST(IgnoreRules, GitignoreAppliesOnlyInARepository) {
  const TestDirectory directory;
  directory.write(".gitignore", "a\n");
  directory.write("a", "");
  directory.write("b", "");
  EXPECT_EQ(walk_in(directory.path()).paths, (Paths{"a", "b"}));
  directory.make(".git");
  EXPECT_EQ(walk_in(directory.path()).paths, (Paths{"b"}));
}

TEST(IgnoreRules, InnerFilesOverrideOuterOnes) {
  const TestDirectory directory;
  directory.make(".git");
  directory.write(".gitignore", "*.log\n");
  directory.write("keep/.gitignore", "!*.log\nother\n");
  directory.write("keep/a.log", "");
  directory.write("keep/other", "");
  directory.write("other", "");
  directory.write("b.log", "");
  EXPECT_EQ(walk_in(directory.path()).paths, (Paths{"keep/a.log", "other"}));
}

TEST(IgnoreRules, KindsOfIgnoreFilesHaveAPrecedence) {
  const TestDirectory directory;
  directory.write("home/.gitconfig", "[core]\nexcludesfile = ~/mine\n");
  directory.write("home/mine", "1\n2\n3\n4\n5\n");
  directory.write("ws/.git/info/exclude", "!1\n!2\n!3\n!4\n");
  directory.write("ws/.gitignore", "2\n3\n4\n");
  directory.write("ws/.ignore", "!3\n!4\n");
  directory.write("ws/.rgignore", "4\n");
  for (const char* name : {"ws/1", "ws/2", "ws/3", "ws/4", "ws/5", "ws/6"}) directory.write(name, "");
  const WalkOptions options{.environment = IgnoreEnvironment{.home = directory.at("home")}};
  EXPECT_EQ(walk_in(directory.at("ws"), options).paths, (Paths{"1", "3", "6"}));
}

TEST(IgnoreRules, UserRulesAreAlsoReadFromTheDefaultPath) {
  const TestDirectory directory;
  directory.write("xdg/git/ignore", "a\n/sub/b\n");
  directory.make("ws/.git");
  directory.write("ws/a", "");
  directory.write("ws/sub/a", "");
  directory.write("ws/sub/b", "");
  directory.write("ws/sub/c", "");
  WalkOptions options{.environment = IgnoreEnvironment{.xdg_config_home = directory.at("xdg")}};
  EXPECT_EQ(walk_in(directory.at("ws"), options).paths, (Paths{"sub/c"}));
  options.start = "sub";
  EXPECT_EQ(walk_in(directory.at("ws"), options).paths, (Paths{"sub/c"}));
}

TEST(IgnoreRules, DirectoriesAboveTheStartAndTheWorkspaceApply) {
  const TestDirectory directory;
  directory.make(".git");
  directory.write(".gitignore", "a\n/ws/sub/b\n");
  directory.write("ws/.ignore", "c\n");
  for (const char* name : {"ws/sub/a", "ws/sub/b", "ws/sub/c", "ws/sub/d"}) directory.write(name, "");
  EXPECT_EQ(walk_in(directory.at("ws"), {.start = "sub"}).paths, (Paths{"sub/d"}));
  EXPECT_EQ(walk_in(directory.at("ws/sub")).paths, (Paths{"d"}));
}

TEST(IgnoreRules, AnInnerRepositoryUsesTheOuterIgnoreButNotTheOuterGitignore) {
  const TestDirectory directory;
  directory.make(".git");
  directory.write(".gitignore", "a\n");
  directory.write(".ignore", "b\n");
  directory.make("inner/.git");
  directory.write("inner/a", "");
  directory.write("inner/b", "");
  EXPECT_EQ(walk_in(directory.path()).paths, (Paths{"inner/a"}));
}

TEST(IgnoreRules, WorktreesUseTheExcludesOfTheirRepository) {
  const TestDirectory directory;
  directory.write("main/.git/info/exclude", "a\n");
  directory.write("main/.git/worktrees/tree/commondir", "../..\n");
  directory.write("tree/.git", "gitdir: " + directory.at("main/.git/worktrees/tree") + "\n");
  directory.write("tree/a", "");
  directory.write("tree/b", "");
  EXPECT_EQ(walk_in(directory.at("tree")).paths, (Paths{"b"}));
}

TEST(IgnoreRules, SubmodulesUseTheirOwnExcludes) {
  const TestDirectory directory;
  directory.write(".git/modules/sub/info/exclude", "a\n");
  directory.write("sub/.git", "gitdir: ../.git/modules/sub\n");
  directory.write("sub/a", "");
  directory.write("sub/b", "");
  EXPECT_EQ(walk_in(directory.path()).paths, (Paths{"sub/b"}));
}

TEST(IgnoreRules, HiddenFilesStayHiddenUnlessARuleIncludesThem) {
  const TestDirectory directory;
  directory.write(".ignore", "!.shown\n!.dir/\n");
  directory.write(".shown", "");
  directory.write(".other", "");
  directory.write(".dir/a", "");
  directory.write(".far/a", "");
  const WalkResult result = walk_in(directory.path());
  EXPECT_EQ(result.paths, (Paths{".dir/a", ".shown"}));
  EXPECT_EQ(result.report.hidden, 3U);  // .ignore, .other and .far
}

TEST(IgnoreRules, IgnoreFilesThatAreNotRegularFilesAreSkipped) {
  const TestDirectory directory;
  ASSERT_EQ(::mkfifo(directory.at(".ignore").c_str(), 0600), 0);
  directory.make(".rgignore");
  directory.write("a", "");
  EXPECT_EQ(walk_in(directory.path()).paths, (Paths{"a"}));
}

TEST(IgnoreLookup, AgreesWithTheWalk) {
  TestDirectory directory;
  directory.write(".gitignore", "build/\n*.log\n!keep.log\n");
  directory.make(".git");
  directory.write("src/.ignore", "generated\n!.dotted\n");
  directory.make("src/generated");
  const auto root = workspace::Root::open(directory.path());
  IgnoreLookup lookup(*root, {});
  EXPECT_TRUE(lookup.excludes("build", true));
  EXPECT_FALSE(lookup.excludes("build", false));
  EXPECT_TRUE(lookup.excludes("src/build", true));
  EXPECT_TRUE(lookup.excludes("a.log", false));
  EXPECT_FALSE(lookup.excludes("src/keep.log", false));
  EXPECT_TRUE(lookup.excludes("src/generated", true));
  EXPECT_FALSE(lookup.excludes("generated", true));
  EXPECT_TRUE(lookup.excludes(".git", true));
  EXPECT_TRUE(lookup.excludes(".hidden", true));
  EXPECT_FALSE(lookup.excludes("src/.dotted", true)) << "a rule includes it although it is hidden";
  EXPECT_FALSE(lookup.excludes("gone/x", false));
}

}  // namespace

}  // namespace helve::search
