#include "policy/path_spec.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "policy/hidden_paths.h"
#include "policy/testing.h"

namespace helve::policy {
namespace {

using Purpose = PathSpec::Purpose;
using Extent = PathSpec::Extent;

bool covers(std::string_view spec, std::string_view path, Purpose purpose = Purpose::kRestrict,
            Extent extent = Extent::kItself) {
  const Surroundings surroundings{.workspace = "/nowhere/work", .home = "/nowhere/home"};
  const auto made = PathSpec::compile(spec, surroundings, purpose);
  EXPECT_TRUE(made) << spec;
  return made && made->covers(locate(path, surroundings.workspace), extent);
}

struct Row {
  std::string_view spec;
  std::string_view path;
  bool covered;
};

TEST(PathSpec, SupportsPrefixesOfClaudeCode) {
  const Row rows[] = {
      {"//etc/**", "/etc/passwd", true},
      {"//etc/**", "etc/passwd", false},
      {"//etc/passwd", "/etc/passwd", true},
      {"~/.ssh/**", "/nowhere/home/.ssh/id_rsa", true},
      {"~/.ssh/**", ".ssh/id_rsa", false},
      {"/src/**", "src/a/b.cc", true},
      {"/src/**", "lib/src/a.cc", false},
      {"./src/**", "src/a.cc", true},
      {"./src/**", "./x/../src/a.cc", true},
      {"src/**", "src/a.cc", true},
      {"src/**", "a/src/a.cc", false},
      {"src", "a/src/a.cc", true},
      {"src/", "src/a.cc", true},
      {"*.env", ".env", true},
      {"*.env", "deep/down/prod.env", true},
      {"*.env", "prod.env.txt", false},
      {".env", "a/.env", true},
      {"**/.env", ".env", true},
      {"**/.env", "a/b/.env", true},
      {"**/.env", "a/.env/x", true},
      {"secrets/*.key", "secrets/a.key", true},
      {"secrets/*.key", "secrets/sub/a.key", false},
      {"../other/**", "/nowhere/other/x", true},
      {"**", "any/thing", true},
      {"/", "any/thing", true},
      {"/", "/etc/passwd", false},
      {"{a,b}/x", "b/x", true},
  };
  for (const Row& row : rows)
    EXPECT_EQ(covers(row.spec, row.path), row.covered) << row.spec << " " << row.path;
}

TEST(PathSpec, RestrictsInAnyCaseButGrantsExactly) {
  EXPECT_TRUE(covers("./secrets/**", "SECRETS/x"));
  EXPECT_TRUE(covers("*.env", ".ENV"));
  EXPECT_FALSE(covers("./secrets/**", "SECRETS/x", Purpose::kGrant));
}

TEST(PathSpec, FloatingSpecsGrantInTheWorkspaceOnly) {
  EXPECT_TRUE(covers("*.md", "/elsewhere/x.md"));
  EXPECT_FALSE(covers("*.md", "/elsewhere/x.md", Purpose::kGrant));
  EXPECT_TRUE(covers("*.md", "docs/x.md", Purpose::kGrant));
}

TEST(PathSpec, CoversADirectoryWhoseContentsItCovers) {
  EXPECT_FALSE(covers("secrets/**", "secrets"));
  EXPECT_TRUE(covers("secrets/**", "secrets", Purpose::kRestrict, Extent::kContents));
  EXPECT_FALSE(covers("secrets/*.key", "secrets", Purpose::kRestrict, Extent::kContents));
  EXPECT_FALSE(covers("secrets/**", ".", Purpose::kRestrict, Extent::kContents));
}

TEST(PathSpec, FollowsSymlinksAndTakesTheStricterForm) {
  const World world;
  world.directory.write("work/secrets/key", "x");
  world.directory.link("secrets", "work/alias");
  world.directory.link("../secrets/key", "work/docs/readme");
  const auto deny = PathSpec::compile("./secrets/**", world.surroundings, Purpose::kRestrict);
  const auto through = [&](const auto& spec, std::string_view path) {
    return spec->covers(locate(path, world.surroundings.workspace), Extent::kItself);
  };
  EXPECT_TRUE(through(deny, "alias/key"));
  EXPECT_TRUE(through(deny, "docs/readme"));
  EXPECT_TRUE(through(deny, "alias/not/there/yet"));
  const auto allow = PathSpec::compile("./docs/**", world.surroundings, Purpose::kGrant);
  EXPECT_FALSE(through(allow, "docs/readme"));
  // `..` after a symlink is the parent of its target.
  world.directory.make("outside/sub");
  world.directory.link("../../outside/sub", "work/docs/out");
  EXPECT_EQ(locate("docs/out/../x", world.surroundings.workspace).real, world.directory.at("outside/x"));
}

TEST(PathSpec, FollowsSymlinksInTheSpec) {
  const World world;
  world.directory.write("work/real/key", "x");
  world.directory.link("real", "work/secrets");
  const auto deny = PathSpec::compile("./secrets/**", world.surroundings, Purpose::kRestrict);
  EXPECT_TRUE(deny->covers(locate("real/key", world.surroundings.workspace), Extent::kItself));
}

TEST(PathSpec, RecognisesHardLinks) {
  const World world;
  world.directory.write("work/.env", "x");
  world.directory.write("work/plain", "x");
  ASSERT_EQ(::link(world.directory.at("work/.env").c_str(), world.directory.at("work/copy").c_str()), 0);
  const auto deny = PathSpec::compile("./.env", world.surroundings, Purpose::kRestrict);
  EXPECT_TRUE(deny->covers(locate("copy", world.surroundings.workspace), Extent::kItself));
  EXPECT_FALSE(deny->covers(locate("plain", world.surroundings.workspace), Extent::kItself));
}

TEST(PathSpec, RecognisesHardLinksOfWhatAWildcardMatches) {
  const World world;
  world.directory.write("work/a/.env", "x");
  world.directory.write("work/secrets1/key", "x");
  world.directory.write("work/plain", "x");
  ASSERT_EQ(::link(world.directory.at("work/a/.env").c_str(), world.directory.at("work/copy").c_str()), 0);
  ASSERT_EQ(::link(world.directory.at("work/secrets1/key").c_str(), world.directory.at("work/k").c_str()), 0);
  ASSERT_EQ(::link(world.directory.at("work/plain").c_str(), world.directory.at("work/twin").c_str()), 0);
  const auto covers = [&](std::string_view spec, std::string_view path) {
    return PathSpec::compile(spec, world.surroundings, Purpose::kRestrict)
        ->covers(locate(path, world.surroundings.workspace), Extent::kItself);
  };
  EXPECT_TRUE(covers("**/.env", "copy"));
  EXPECT_TRUE(covers(".ENV*", "copy"));
  EXPECT_TRUE(covers("./secrets*/**", "k"));
  EXPECT_FALSE(covers("**/.env", "twin"));
  EXPECT_FALSE(covers("**/.env", "k"));
}

TEST(PathSpec, HandlesSymlinkLoops) {
  const World world;
  world.directory.link("b", "work/a");
  world.directory.link("a", "work/b");
  EXPECT_FALSE(locate("a/x", world.surroundings.workspace).real.empty());
}

TEST(PathSpec, ChecksPossibleExpansionsOfShellPatterns) {
  const Surroundings surroundings{.workspace = "/nowhere/work"};
  const auto deny = PathSpec::compile("./secrets/**", surroundings, Purpose::kRestrict);
  EXPECT_EQ(deny->covers_pattern("/nowhere/work/*/key"), Match::kMaybe);
  EXPECT_EQ(deny->covers_pattern("/nowhere/work/sec*/key"), Match::kMaybe);
  EXPECT_EQ(deny->covers_pattern("/nowhere/work/*.c"), Match::kNo);
  EXPECT_EQ(deny->covers_pattern("/nowhere/work/src/*"), Match::kNo);
  const auto floating = PathSpec::compile("**/.env", surroundings, Purpose::kRestrict);
  EXPECT_EQ(floating->covers_pattern("/home/me/.e*"), Match::kMaybe);
  EXPECT_EQ(floating->covers_pattern("/home/me/.??v"), Match::kMaybe);
  EXPECT_EQ(floating->covers_pattern("/usr/lib/*.so"), Match::kNo);
  EXPECT_EQ(floating->covers_pattern("/home/me/*"), Match::kNo) << "* matches no dot";
}

TEST(HiddenPaths, HidesUnreadableFilesAlsoThroughSymlinks) {
  World world;
  world.directory.write("work/secrets/key", "x");
  world.directory.link("secrets/key", "work/innocent");
  world.deny("read(./secrets/**)").ask("read(*.env)").allow("read(x)").deny("edit(y)");
  const HiddenPaths hidden(world.rules, world.surroundings);
  EXPECT_TRUE(hidden.hides("secrets/key"));
  EXPECT_TRUE(hidden.hides("innocent"));
  EXPECT_TRUE(hidden.hides("a/b/.env"));
  EXPECT_FALSE(hidden.hides("src/x"));
  EXPECT_FALSE(hidden.hides("y"));
  EXPECT_EQ(hidden.exclusions(), (std::vector<std::string>{"!/secrets/**", "!*.env"}));
  EXPECT_EQ(hidden.for_sandbox(), (std::vector<std::string>{world.directory.at("work/secrets")}));
}

}  // namespace
}  // namespace helve::policy
