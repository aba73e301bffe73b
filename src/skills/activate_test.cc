#include "skills/activate.h"

#include <gmock/gmock.h>

#include "skills/testing.h"

namespace helve::skills {
namespace {

using ActivateTest = SkillsTest;

std::string filled(std::string_view body, std::string_view arguments, bool has_hint = true) {
  return fill_in_arguments(body, arguments, has_hint, "/skill");
}

TEST(FillInArguments, ReplacesAllAndSingleArguments) {
  EXPECT_EQ(filled("Fix $ARGUMENTS now", "issue 12"), "Fix issue 12 now");
  EXPECT_EQ(filled("Fix $1 in $2.", "'the bug' main.cc"), "Fix the bug in main.cc.");
  EXPECT_EQ(filled("Fix $ARGUMENTS[0] and $ARGUMENTS[1]", "a \"b c\""), "Fix a and b c");
  EXPECT_EQ(filled("From $0 to $1", "a b"), "From a to b");
  EXPECT_EQ(filled("$11 $1", "a"), "$11 a");
}

TEST(FillInArguments, KeepsPlaceholdersWithoutArguments) {
  EXPECT_EQ(filled("awk '{print $1, $2}' costs $5 and $100", ""), "awk '{print $1, $2}' costs $5 and $100");
  EXPECT_EQ(filled("$1 $2", "a"), "a $2");
  EXPECT_EQ(filled("$ARGUMENTS[3] $ARGUMENTS_X $HOME $", "a"), "$ARGUMENTS[3] $ARGUMENTS_X $HOME $");
  EXPECT_EQ(filled("[$ARGUMENTS]", ""), "[]");
}

TEST(FillInArguments, IgnoresNumbersWithoutAHint) {
  EXPECT_EQ(filled("awk '{print $1}'", "x", false), "awk '{print $1}'\n\nArguments: x");
  EXPECT_EQ(filled("Do $ARGUMENTS", "x", false), "Do x");
}

TEST(FillInArguments, DoesNotReplacePlaceholdersInArguments) {
  EXPECT_EQ(filled("$1 $2 $ARGUMENTS", "$2 $ARGUMENTS"), "$2 $ARGUMENTS $2 $ARGUMENTS");
  EXPECT_EQ(filled("$1", "${CLAUDE_SKILL_DIR}"), "${CLAUDE_SKILL_DIR}");
}

TEST(FillInArguments, AppendsUnusedArguments) {
  EXPECT_EQ(filled("Do it.", " main.cc "), "Do it.\n\nArguments: main.cc");
  EXPECT_EQ(filled("Do it.", "  "), "Do it.");
}

TEST(FillInArguments, ReplacesTheSkillDirectory) {
  EXPECT_EQ(filled("sh ${CLAUDE_SKILL_DIR}/run.sh", ""), "sh /skill/run.sh");
}

TEST_F(ActivateTest, ReturnsInstructionsDirectoryAndResources) {
  make_skill("work/.claude/skills/a", "x",
             "argument-hint: <file>\nallowed-tools: Read Bash(git diff:*) Odd\n", "# A\n\nLook at $1.");
  files_.write("work/.claude/skills/a/scripts/run.sh", "echo");
  files_.write("work/.claude/skills/a/ref<1>.md", "more");
  files_.write("work/.claude/skills/a/.git/config", "no");
  files_.write("work/.claude/skills/a/node_modules/x/y.js", "no");
  const auto activation = activate_skill(*discover().find("a"), workspace(), "main.cc");
  ASSERT_TRUE(activation) << activation.error().message;
  EXPECT_EQ(activation->text,
            concat("<skill_content name=\"a\">\n# A\n\nLook at main.cc.\n\nSkill directory: ",
                   files_.at("work/.claude/skills/a"),
                   "\nRelative paths in this skill are relative to that directory.\n"
                   "<skill_resources>\n<file>ref&lt;1&gt;.md</file>\n<file>scripts/run.sh</file>\n"
                   "</skill_resources>\n</skill_content>\n"));
  EXPECT_EQ(activation->instructions, "# A\n\nLook at main.cc.");
  EXPECT_EQ(activation->resources, (std::vector<std::string>{"ref<1>.md", "scripts/run.sh"}));
  EXPECT_EQ(activation->tools.tools, (std::vector<std::string>{"read", "exec(git diff:*)", "Odd"}));
  EXPECT_EQ(activation->tools.warnings.size(), 1U);
}

TEST_F(ActivateTest, NoChangedSkillAllowsTools) {
  make_skill("work/shared/a", "x", "allowed-tools: Read\n");
  files_.link("../../shared/a", "work/.agents/skills/a");
  make_skill("work/.claude/skills/b", "x", "allowed-tools: Read\n");
  make_skill("work/mine/c", "x", "allowed-tools: Read\n");
  files_.link(files_.at("work/mine/c"), "home/.claude/skills/c");
  make_skill("home/.claude/skills/d", "x", "allowed-tools: Read\n");
  const SkillSet set = discover();
  for (const char* folder :
       {"work/shared/a", "work/.claude/skills/b", "work/mine/c", "home/.claude/skills/d"})
    make_skill(folder, "x", "allowed-tools: Bash(*)\n", "Run anything.");
  for (const char* name : {"a", "b", "c"}) {
    ASSERT_NE(set.find(name), nullptr) << name;
    const auto activation = activate_skill(*set.find(name), workspace(), "");
    ASSERT_TRUE(activation) << name;
    EXPECT_TRUE(activation->tools.tools.empty()) << name;
    EXPECT_THAT(activation->tools.warnings, testing::ElementsAre(testing::HasSubstr("changed since")))
        << name;
  }
  // Only the user can write this one.
  EXPECT_EQ(activate_skill(*set.find("d"), workspace(), "")->tools.tools,
            std::vector<std::string>{"exec(*)"});
}

TEST_F(ActivateTest, NoSkillThatOthersCanWriteAllowsTools) {
  make_skill("home/.claude/skills/a", "x", "allowed-tools: Bash(*)\n");
  const SkillSet set = discover();
  std::filesystem::permissions(files_.at("home/.claude/skills/a/SKILL.md"),
                               std::filesystem::perms::others_write, std::filesystem::perm_options::add);
  const auto activation = activate_skill(*set.find("a"), workspace(), "");
  ASSERT_TRUE(activation);
  EXPECT_TRUE(activation->tools.tools.empty());
  EXPECT_THAT(activation->tools.warnings, testing::ElementsAre(testing::HasSubstr("writable by everyone")));
}

TEST_F(ActivateTest, ReadsTheCurrentContent) {
  make_skill("home/.claude/skills/a", "x", "", "Old.");
  const SkillSet set = discover();
  make_skill("home/.claude/skills/a", "x", "", "New.");
  EXPECT_EQ(activate_skill(*set.find("a"), workspace(), "")->instructions, "New.");
  files_.write("home/.claude/skills/a/SKILL.md", "---\nname: a\n---\n");
  const auto broken = activate_skill(*set.find("a"), workspace(), "");
  ASSERT_FALSE(broken);
  EXPECT_TRUE(broken.error().message.starts_with("The skill a has changed and can no longer be used: "))
      << broken.error().message;
}

TEST_F(ActivateTest, RejectsAReplacedDirectory) {
  make_skill("work/.claude/skills/a", "x");
  make_skill("home/.claude/skills/b", "x");
  make_skill("home/elsewhere/a", "planted");
  make_skill("work/elsewhere", "planted");
  const SkillSet set = discover();
  std::filesystem::remove_all(files_.at("work/.claude/skills/a"));
  std::filesystem::remove_all(files_.at("home/.claude/skills/b"));
  files_.link(files_.at("home/elsewhere/a"), "work/.claude/skills/a");
  files_.link(files_.at("home/elsewhere/a"), "home/.claude/skills/b");
  EXPECT_EQ(activate_skill(*set.find("a"), workspace(), "").error().code, ErrorCode::kSecurity);
  EXPECT_EQ(activate_skill(*set.find("b"), workspace(), "").error().code, ErrorCode::kConflict);
  std::filesystem::remove(files_.at("work/.claude/skills/a"));
  files_.link("../../elsewhere", "work/.claude/skills/a");
  const auto inside = activate_skill(*set.find("a"), workspace(), "");
  EXPECT_EQ(inside.error().code, ErrorCode::kConflict);
  EXPECT_EQ(inside.error().message, "The folder of the skill a was replaced since it was found.");
}

TEST_F(ActivateTest, LimitsTheNumberOfResources) {
  make_skill("work/.claude/skills/a", "x");
  for (int i = 0; i < 150; ++i) files_.write(concat("work/.claude/skills/a/r/", i), "x");
  const auto activation = activate_skill(*discover().find("a"), workspace(), "");
  EXPECT_EQ(activation->resources.size(), 100U);
  EXPECT_FALSE(activation->resources_complete);
  EXPECT_THAT(activation->text,
              ::testing::HasSubstr("(There are more files; list the directory to see them.)"));
}

TEST_F(ActivateTest, DirectoryCanBeAReadOnlyRoot) {
  make_skill("home/.claude/skills/a", "x");
  files_.write("home/.claude/skills/a/ref.md", "more");
  files_.link(files_.at("home/.config"), "home/.claude/skills/a/out");
  files_.write("home/.config/secret", "s");
  const auto activation = activate_skill(*discover().find("a"), workspace(), "");
  ASSERT_TRUE(activation);
  const auto root = workspace::Root::open(files_.at("work"), {.read_only_roots = {activation->directory}});
  ASSERT_TRUE(root);
  EXPECT_TRUE(root->open_read(concat(activation->directory, "/ref.md")));
  EXPECT_FALSE(root->open_read(concat(activation->directory, "/out/secret")));
  EXPECT_FALSE(root->open_parent(concat(activation->directory, "/ref.md")));
}

}  // namespace
}  // namespace helve::skills
