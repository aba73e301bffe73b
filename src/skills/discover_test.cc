#include "skills/discover.h"

#include <gmock/gmock.h>

#include "skills/testing.h"

namespace helve::skills {
namespace {

using DiscoverTest = SkillsTest;

TEST_F(DiscoverTest, FindsNothingInEmptyDirectories) { EXPECT_EQ(found(), ""); }

TEST_F(DiscoverTest, FindsAllPlacesAndSortsByName) {
  make_skill("work/.claude/skills/c", "three");
  make_skill("work/.agents/skills/b", "two");
  make_skill("work/.helve/skills/a", "one");
  make_skill("home/.claude/skills/f", "six");
  make_skill("home/.agents/skills/e", "five");
  make_skill("home/.config/helve/skills/d", "four");
  EXPECT_EQ(found(),
            "a: one (.helve/skills/a/SKILL.md)\n"
            "b: two (.agents/skills/b/SKILL.md)\n"
            "c: three (.claude/skills/c/SKILL.md)\n"
            "d: four (/home/.config/helve/skills/d/SKILL.md)\n"
            "e: five (/home/.agents/skills/e/SKILL.md)\n"
            "f: six (/home/.claude/skills/f/SKILL.md)\n");
  const SkillSet set = discover();
  EXPECT_EQ(set.find("a")->place, ".helve/skills");
  EXPECT_EQ(set.find("a")->scope, SkillScope::kProject);
  EXPECT_EQ(set.find("a")->directory, files_.at("work/.helve/skills/a"));
  EXPECT_EQ(set.find("d")->place, "~/.config/helve/skills");
  EXPECT_EQ(set.find("f")->place, "~/.claude/skills");
  EXPECT_EQ(set.find("f")->scope, SkillScope::kUser);
  EXPECT_EQ(set.find("x"), nullptr);
}

TEST_F(DiscoverTest, FirstSkillOfANameWins) {
  make_skill("work/.claude/skills/same", "project claude");
  make_skill("work/.agents/skills/same", "project agents");
  make_skill("home/.config/helve/skills/same", "user helve");
  EXPECT_EQ(
      found(),
      "same: project agents (.agents/skills/same/SKILL.md)\n"
      ".claude/skills/same/SKILL.md: warning: it is left out: .agents/skills/same/SKILL.md has the same "
      "name, same, and comes first.\n"
      "/home/.config/helve/skills/same/SKILL.md: warning: it is left out: .agents/skills/same/SKILL.md has "
      "the same name, same, and comes first.\n");
}

TEST_F(DiscoverTest, ProjectSkillsNeedTrust) {
  make_skill("work/.claude/skills/same", "project");
  make_skill("home/.claude/skills/same", "user");
  EXPECT_EQ(found(false), "same: user (/home/.claude/skills/same/SKILL.md)\n");
  EXPECT_EQ(discover(false).untrusted_places, std::vector<std::string>{".claude/skills"});
  EXPECT_TRUE(discover(true).untrusted_places.empty());
}

TEST_F(DiscoverTest, SearchesSubdirectoriesToALimitedDepth) {
  make_skill("work/.claude/skills/group/deep/one", "yes");
  make_skill("work/.claude/skills/group/deep/deeper/two", "too deep");
  make_skill("work/.claude/skills/one/inner", "below a directory that is not a skill");
  make_skill("work/.claude/skills/.hidden", "no");
  make_skill("work/.claude/skills/node_modules/x", "no");
  files_.write("work/.claude/skills/README.md", "no skill");
  EXPECT_EQ(found(),
            "inner: below a directory that is not a skill (.claude/skills/one/inner/SKILL.md)\n"
            "one: yes (.claude/skills/group/deep/one/SKILL.md)\n");
  make_skill("work/.claude/skills/outer", "a skill");
  make_skill("work/.claude/skills/outer/nested", "part of it");
  EXPECT_EQ(discover().find("nested"), nullptr);
}

TEST_F(DiscoverTest, ReportsWronglyCasedFile) {
  files_.write("work/.claude/skills/a/skill.md", "---\nname: a\ndescription: x\n---\n");
  EXPECT_EQ(found(), ".claude/skills/a/skill.md: error: it is ignored; rename it to SKILL.md.\n");
}

TEST_F(DiscoverTest, ProjectSymlinksStayInTheWorkspace) {
  make_skill("work/tools/a", "linked inside");
  make_skill("home/secret", "outside");
  files_.link("../../tools/a", "work/.claude/skills/a");
  files_.link("../../../home/secret", "work/.claude/skills/secret");
  files_.link("nowhere", "work/.claude/skills/dangling");
  files_.write("home/id", "---\nname: id\ndescription: private key\n---\n");
  files_.link("../../../../home/id", "work/.claude/skills/key/SKILL.md");
  const std::string text = found();
  EXPECT_TRUE(text.starts_with("a: linked inside (tools/a/SKILL.md)\n")) << text;
  EXPECT_THAT(text, ::testing::HasSubstr(".claude/skills/secret: error: it is left out: ")) << text;
  EXPECT_THAT(text, ::testing::HasSubstr(".claude/skills/dangling: error: it is left out: ")) << text;
  EXPECT_THAT(text, ::testing::HasSubstr(".claude/skills/key/SKILL.md: error: it is left out: ")) << text;
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("private key"))) << text;
}

TEST_F(DiscoverTest, DirectoriesLinkedToEachOtherCountOnce) {
  make_skill("work/.agents/skills/a", "one");
  files_.link("../.agents/skills", "work/.claude/skills");
  files_.link(files_.at("work/.agents/skills"), "home/.claude/skills");
  EXPECT_EQ(found(), "a: one (.agents/skills/a/SKILL.md)\n");
}

TEST_F(DiscoverTest, HandlesSymlinkLoops) {
  make_skill("home/.claude/skills/a", "one");
  files_.link(".", "home/.claude/skills/loop");
  files_.link("../..", "home/.claude/skills/up");
  files_.link(".", "work/.claude/skills/loop");
  EXPECT_EQ(found(), "a: one (/home/.claude/skills/a/SKILL.md)\n");
}

TEST_F(DiscoverTest, UserSkillsMayBeSymlinksToAnywhere) {
  make_skill("home/dev/a", "a folder");
  files_.link(files_.at("home/dev/a"), "home/.claude/skills/a");
  make_skill("home/store/b", "a file");
  files_.link(files_.at("home/store/b/SKILL.md"), "home/.claude/skills/b/SKILL.md");
  files_.write("home/key", "---\nname: key\ndescription: private\n---\n");
  files_.link(files_.at("home/key"), "home/.claude/skills/key/SKILL.md");
  files_.link("gone", "home/.claude/skills/gone");
  EXPECT_EQ(found(),
            "a: a folder (/home/dev/a/SKILL.md)\n"
            "b: a file (/home/store/b/SKILL.md)\n"
            "/home/.claude/skills/gone: warning: it is a dangling symlink.\n"
            "/home/.claude/skills/key/SKILL.md: error: it is left out: it is a symlink to a file that is "
            "not a SKILL.md.\n");
  EXPECT_EQ(discover().find("b")->directory, files_.at("home/store/b"));
}

TEST_F(DiscoverTest, DoesNotHangOnSpecialFiles) {
  files_.make("work/.claude/skills/pipe");
  ASSERT_EQ(::mkfifo(files_.at("work/.claude/skills/pipe/SKILL.md").c_str(), 0600), 0);
  files_.make("work/.claude/skills/directory/SKILL.md");
  const std::string text = found();
  EXPECT_THAT(text, ::testing::HasSubstr(".claude/skills/pipe/SKILL.md: error: it is left out: ")) << text;
  EXPECT_THAT(text, ::testing::HasSubstr(".claude/skills/directory/SKILL.md: error: it is left out: "))
      << text;
  files_.write("work/.agents/skills", "a file");
  EXPECT_EQ(discover().skills.size(), 0U);
}

TEST_F(DiscoverTest, SkipsHugeFiles) {
  files_.write("work/.claude/skills/big/SKILL.md",
               concat("---\nname: big\ndescription: x\n---\n", std::string(300'000, 'x')));
  EXPECT_EQ(
      found(),
      ".claude/skills/big/SKILL.md: error: it is larger than 256 KB, which is all that is read. Move parts "
      "of it into files beside it.\n");
}

TEST_F(DiscoverTest, LimitsTheNumberOfSkills) {
  for (int i = 0; i < 520; ++i) make_skill(concat("work/.claude/skills/s", i), "x");
  const SkillSet set = discover();
  EXPECT_EQ(set.skills.size(), 512U);
  ASSERT_EQ(set.problems.size(), 1U);
  EXPECT_EQ(set.problems[0].text, "there are too many skills; the rest is left out.");
}

}  // namespace
}  // namespace helve::skills
