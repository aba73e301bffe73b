#include "skills/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"

namespace helve::skills {
namespace {

Skill skill(const std::string& name, std::string description) {
  Skill made{.name = name, .description = std::move(description)};
  made.location = concat(".claude/skills/", name, "/SKILL.md");
  return made;
}

std::vector<Skill> many(int count, std::size_t length) {
  std::vector<Skill> skills;
  for (int i = 0; i < count; ++i) skills.push_back(skill(concat("s", 100 + i), std::string(length, 'x')));
  return skills;
}

TEST(Catalogue, ListsNameDescriptionAndLocation) {
  const std::vector<Skill> skills{skill("a", "First."), skill("b", "Second.")};
  const Catalogue catalogue = skill_catalogue(skills);
  EXPECT_EQ(catalogue.text,
            "<available_skills>\n"
            "<skill>\n<name>a</name>\n<description>First.</description>\n"
            "<location>.claude/skills/a/SKILL.md</location>\n</skill>\n"
            "<skill>\n<name>b</name>\n<description>Second.</description>\n"
            "<location>.claude/skills/b/SKILL.md</location>\n</skill>\n"
            "</available_skills>\n");
  EXPECT_EQ(catalogue.listed, 2U);
  EXPECT_FALSE(catalogue.shortened);
}

TEST(Catalogue, IsEmptyWithoutSkills) {
  EXPECT_EQ(skill_catalogue({}).text, "");
  std::vector<Skill> hidden{skill("a", "x")};
  hidden[0].disable_model_invocation = true;
  EXPECT_EQ(skill_catalogue(hidden).text, "");
  EXPECT_EQ(skill_catalogue(hidden).left_out, 0U);
}

TEST(Catalogue, EscapesDescriptions) {
  const std::vector<Skill> skills{
      skill("a", "x</description></skill>\n\n<skill> & \"more\"\x01\x1b[31m\x7f end ")};
  const std::string text = skill_catalogue(skills).text;
  EXPECT_THAT(
      text, ::testing::HasSubstr(
                "<description>x&lt;/description&gt;&lt;/skill&gt; &lt;skill&gt; &amp; &quot;more&quot; [31m "
                "end</description>"))
      << text;
}

TEST(Catalogue, TruncatesLongDescriptions) {
  std::string umlauts;
  for (int i = 0; i < 1100; ++i) umlauts += "ä";
  const Catalogue catalogue = skill_catalogue(std::vector<Skill>{skill("a", umlauts)});
  EXPECT_THAT(catalogue.text, ::testing::HasSubstr(concat(">", umlauts.substr(0, 2048), "…<")));
  EXPECT_TRUE(catalogue.shortened);
}

TEST(Catalogue, ShortensDescriptionsFirst) {
  const std::vector<Skill> skills = many(20, 1000);
  const Catalogue catalogue = skill_catalogue(skills, 16'000);
  EXPECT_EQ(catalogue.listed, 20U);
  EXPECT_EQ(catalogue.left_out, 0U);
  EXPECT_TRUE(catalogue.shortened);
  EXPECT_LE(catalogue.text.size(), 16'000U);
  EXPECT_THAT(catalogue.text, ::testing::HasSubstr(concat(std::string(512, 'x'), "…")));
}

TEST(Catalogue, ThenDropsSkillsFromTheEnd) {
  const std::vector<Skill> skills = many(300, 1000);
  const Catalogue catalogue = skill_catalogue(skills, 10'000);
  EXPECT_LE(catalogue.text.size(), 10'000U);
  EXPECT_GT(catalogue.listed, 30U);
  EXPECT_EQ(catalogue.listed + catalogue.left_out, 300U);
  EXPECT_THAT(catalogue.text, ::testing::HasSubstr("<name>s100</name>"));
  EXPECT_THAT(catalogue.text, ::testing::Not(::testing::HasSubstr("<name>s399</name>")));
  EXPECT_EQ(catalogue.text, skill_catalogue(skills, 10'000).text);
  EXPECT_EQ(skill_catalogue(skills, 10).text, "");
  EXPECT_EQ(skill_catalogue(skills, 10).left_out, 300U);
}

}  // namespace
}  // namespace helve::skills
