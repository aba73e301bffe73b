#include "skills/skill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"

namespace helve::skills {
namespace {

ParsedSkill parse(std::string_view text) { return parse_skill(text, "SKILL.md", "tidy"); }

std::string problems_of(std::string_view text) {
  std::string out;
  for (const SkillProblem& problem : parse(text).problems) out += concat(to_text(problem), "\n");
  return out;
}

// With valid front matter before and after these lines.
std::string with(std::string_view lines) {
  return concat("---\nname: tidy\ndescription: Tidies up.\n", lines, "---\nDo it.\n");
}

TEST(SkillParse, ReadsEveryField) {
  const ParsedSkill parsed = parse(with(
      "license: MIT\ncompatibility: needs git\nmetadata:\n  author: me\n  version: \"1.0\"\n"
      "allowed-tools: Read, Bash(git diff:*)\nargument-hint: \"[file]\"\ndisable-model-invocation: true\n"
      "user-invocable: no\nextra: 1\n"));
  ASSERT_TRUE(parsed.skill);
  const Skill& skill = *parsed.skill;
  EXPECT_EQ(skill.name, "tidy");
  EXPECT_EQ(skill.description, "Tidies up.");
  EXPECT_EQ(skill.license, "MIT");
  EXPECT_EQ(skill.compatibility, "needs git");
  EXPECT_EQ(skill.metadata,
            (std::vector<std::pair<std::string, std::string>>{{"author", "me"}, {"version", "1.0"}}));
  EXPECT_EQ(skill.allowed_tools, (std::vector<std::string>{"Read", "Bash(git diff:*)"}));
  EXPECT_EQ(skill.argument_hint, "[file]");
  EXPECT_TRUE(skill.disable_model_invocation);
  EXPECT_FALSE(skill.user_invocable);
  EXPECT_EQ(to_text(*skill.front_matter.find("extra")), "\"1\"");
  EXPECT_EQ(parsed.body, "Do it.");
  EXPECT_EQ(problems_of(with("license: MIT\n")), "");
}

TEST(SkillParse, AcceptsByteOrderMarkAndWindowsLineEnds) {
  const std::string text = concat("\xEF\xBB\xBF", replace_all(with(""), "\n", "\r\n"));
  const ParsedSkill parsed = parse(text);
  ASSERT_TRUE(parsed.skill);
  EXPECT_TRUE(parsed.problems.empty());
  EXPECT_EQ(parsed.body, "Do it.");
  EXPECT_EQ(parsed.skill->description, "Tidies up.");
}

TEST(SkillParse, ToolsInEveryForm) {
  const std::vector<std::string> wanted{"Read", "Bash(git diff:*)", "Edit"};
  for (const std::string_view form :
       {"allowed-tools: Read Bash(git diff:*) Edit\n", "allowed-tools: Read, Bash(git diff:*), Edit\n",
        "allowed-tools: \"Read, Bash(git diff:*), Edit\"\n",
        "allowed-tools: [Read, Bash(git diff:*), \"Edit\"]\n",
        "allowed-tools:\n  - Read\n  - Bash(git diff:*)\n  - Edit\n",
        "allowed-tools:\n- Read\n- Bash(git diff:*)\n- Edit\n", "allowedTools: Read Bash(git diff:*) Edit\n",
        "allowed-tools: >-\n  Read\n  Bash(git diff:*)\n  Edit\n"}) {
    const ParsedSkill parsed = parse(with(form));
    ASSERT_TRUE(parsed.skill) << form;
    EXPECT_EQ(parsed.skill->allowed_tools, wanted) << form;
    EXPECT_EQ(problems_of(with(form)), "") << form;
  }
  EXPECT_EQ(parse(with("allowed-tools: [Bash(cp a, b), Read]\n")).skill->allowed_tools,
            (std::vector<std::string>{"Bash(cp a, b)", "Read"}));
}

TEST(SkillParse, WarnsAboutUnknownToolsWithTheirLine) {
  EXPECT_EQ(
      problems_of(with("allowed-tools: Read WebFetch\n")),
      "SKILL.md:4: warning: There is no tool \"WebFetch\"; the name is kept, but allows nothing here.\n");
  EXPECT_EQ(problems_of(with("allowed-tools: Read\nallowedTools: Write\n")),
            "SKILL.md:5: warning: allowedTools is ignored because allowed-tools is present.\n");
}

TEST(SkillParse, BadNamesAreWarnedAboutAndKept) {
  const ParsedSkill parsed = parse("---\nname: Tidy Up\ndescription: x\n---\nbody\n");
  ASSERT_TRUE(parsed.skill);
  EXPECT_EQ(parsed.skill->name, "Tidy Up");
  EXPECT_EQ(problems_of("---\nname: Tidy Up\ndescription: x\n---\nbody\n"),
            "SKILL.md:2: warning: the name \"Tidy Up\" should be 1 to 64 lower-case letters, digits and -, "
            "with no - at its "
            "ends and "
            "no two in a row.\n");
  for (const std::string_view bad : {"-a", "a-", "a--b", "a_b", "Ä", "a b", "a…"})
    EXPECT_NE(problems_of(concat("---\nname: ", bad, "\ndescription: x\n---\nbody\n")), "") << bad;
  EXPECT_NE(problems_of(concat("---\nname: ", std::string(65, 'a'), "\ndescription: x\n---\nbody\n")), "");
  EXPECT_EQ(problems_of("---\nname: other\ndescription: x\n---\nbody\n"),
            "SKILL.md:2: warning: the name is other, but its folder is tidy; they should be equal.\n");
}

TEST(SkillParse, MissingOrUnusableNameBecomesTheFolderName) {
  EXPECT_EQ(parse("---\ndescription: x\n---\nbody\n").skill->name, "tidy");
  EXPECT_EQ(problems_of("---\ndescription: x\n---\nbody\n"),
            "SKILL.md:2: warning: it has no name; the folder's name is used: tidy.\n");
  EXPECT_EQ(parse("---\nname: \"../../x\"\ndescription: x\n---\nbody\n").skill->name, "tidy");
  EXPECT_EQ(parse("---\nname: \"a\\nb\"\ndescription: x\n---\nbody\n").skill->name, "tidy");
  const ParsedSkill hopeless = parse_skill("---\nname: \"a\\nb\"\ndescription: x\n---\nbody\n", "f", "x\ny");
  EXPECT_FALSE(hopeless.skill);
  EXPECT_EQ(hopeless.problems.back().text,
            "neither its name nor its folder's name is valid; the skill is left out.");
}

TEST(SkillParse, RejectsSkillWithoutDescription) {
  for (const std::string_view text :
       {"---\nname: tidy\n---\nbody\n", "---\nname: tidy\ndescription:\n---\nbody\n",
        "---\nname: tidy\ndescription: \"  \"\n---\nbody\n"})
    EXPECT_FALSE(parse(text).skill) << text;
  EXPECT_EQ(
      problems_of("---\nname: tidy\ndescription:\n---\nbody\n"),
      "SKILL.md:3: error: it has no description, which tells a model when to use it, and is left out.\n");
}

TEST(SkillParse, WarnsAboutLongDescriptionsInCharacters) {
  std::string long_text;
  for (int i = 0; i < 1024; ++i) long_text += "ä";
  EXPECT_EQ(problems_of(concat("---\nname: tidy\ndescription: ", long_text, "\n---\nbody\n")), "");
  EXPECT_EQ(
      problems_of(concat("---\nname: tidy\ndescription: ", long_text, "x\n---\nbody\n")),
      "SKILL.md:3: warning: the description has 1,025 characters; at most 1,024 are shown to models.\n");
}

TEST(SkillParse, AcceptsUnquotedColons) {
  const std::string text = "---\nname: tidy\ndescription: Use when: the user asks: now\n---\nbody\n";
  EXPECT_EQ(parse(text).skill->description, "Use when: the user asks: now");
  EXPECT_EQ(problems_of(text), "SKILL.md:3: warning: a value with a colon in it should be in quotes.\n");
}

TEST(SkillParse, ReportsMissingFrontMatter) {
  EXPECT_EQ(problems_of(""),
            "SKILL.md:1: error: it has no front matter. Start it with a line ---, then name: and "
            "description:, then "
            "---.\n");
  EXPECT_EQ(problems_of("# Title\n---\nname: x\n---\n"), problems_of(""));
  EXPECT_EQ(problems_of("---\nname: x\ndescription: y\n"),
            "SKILL.md:1: error: its front matter has no end. Add a line --- after it.\n");
  EXPECT_EQ(problems_of("\n\n---\nname: tidy\ndescription: y\n...\nbody"), "");
  EXPECT_EQ(problems_of("---\nname: tidy\ndescription: y\n---\n"),
            "SKILL.md:5: warning: there are no instructions after the front matter.\n");
}

TEST(SkillParse, ReportsLineNumbersOfTheFile) {
  EXPECT_EQ(problems_of("\n---\n# comment\nname: tidy\ndescription: y\nx: *alias\n---\nbody\n"),
            "SKILL.md:6: error: x cannot be read: it is an alias (*), and aliases are not supported; put the "
            "value in "
            "quotes.\n");
}

TEST(SkillParse, WarnsAboutMisspelledKeys) {
  EXPECT_EQ(problems_of(with("user-invokable: true\n")),
            "SKILL.md:4: warning: user-invokable is not known; did you mean user-invocable?\n");
  EXPECT_EQ(problems_of(with("version: 1\nmodel: opus\ntags: [a]\nhooks:\n  Stop:\n    - x: 1\n")), "");
}

TEST(SkillParse, UnclearFlagsHideTheSkill) {
  const ParsedSkill parsed = parse(with("disable-model-invocation: maybe\n"));
  EXPECT_TRUE(parsed.skill->disable_model_invocation);
  EXPECT_EQ(parsed.problems.at(0).text, "disable-model-invocation should be true or false; true is assumed.");
}

TEST(SkillParse, AnArgumentHintInBracketsIsText) {
  EXPECT_EQ(parse(with("argument-hint: [file]\n")).skill->argument_hint, "[file]");
  EXPECT_EQ(parse(with("argument-hint: [file] [line]\n")).skill->argument_hint, "[file] [line]");
  EXPECT_EQ(parse(with("argument-hint: <file>\n")).skill->argument_hint, "<file>");
}

TEST(SkillParse, ReadsOtherEncodingsButNotBinary) {
  const ParsedSkill latin = parse("---\nname: tidy\ndescription: caf\xE9 au lait\n---\nbody\n");
  ASSERT_TRUE(latin.skill);
  EXPECT_EQ(latin.skill->description, "café au lait");
  EXPECT_THAT(latin.problems.at(0).text, ::testing::HasSubstr("it is not UTF-8; it was read as "));
  std::string wide = "\xFF\xFE";
  for (const char c : with("")) wide += concat(c, '\0');
  ASSERT_TRUE(parse(wide).skill);
  EXPECT_EQ(parse(wide).skill->description, "Tidies up.");
  const std::string binary("---\nname: tidy\ndescription: x\0\0\1\2\xFF\xFE\n---\n", 40);
  EXPECT_FALSE(parse(binary).skill);
}

TEST(SkillParse, BigFrontMatterIsNotParsed) {
  const std::string text =
      concat("---\nname: tidy\ndescription: x\n# ", std::string(70'000, 'x'), "\n---\nbody\n");
  EXPECT_EQ(problems_of(text), "SKILL.md:2: error: its front matter has 68 KB; at most 64 KB are read.\n");
}

}  // namespace
}  // namespace helve::skills
