#include "skills/allowed_tools.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace helve::skills {
namespace {

std::string split_up(std::string_view text) { return join(split_tool_list(text), "|"); }

std::string normalized(std::vector<std::string> list) {
  const NormalizedTools result = normalize_skill_allowed_tools(list);
  return concat(join(result.tools, "|"), result.warnings.empty() ? "" : "\n", join(result.warnings, "\n"));
}

TEST(AllowedTools, SplitOutsideOfParentheses) {
  EXPECT_EQ(split_up(""), "");
  EXPECT_EQ(split_up("Read Write,Edit ,\tGrep\n"), "Read|Write|Edit|Grep");
  EXPECT_EQ(split_up("Bash(git diff:*), Read Bash(npm run test, x)"),
            "Bash(git diff:*)|Read|Bash(npm run test, x)");
  EXPECT_EQ(split_up("Bash(a (b) c) Read"), "Bash(a (b) c)|Read");
  EXPECT_EQ(split_up("Bash(git diff Read"), "Bash(git diff Read");
  EXPECT_EQ(split_up(") Read"), ")|Read");
}

TEST(AllowedTools, SpaceBeforeTheParenthesisDoesNotAllowEverything) {
  EXPECT_EQ(split_up("Bash (git diff:*) Read"), "Bash(git diff:*)|Read");
}

TEST(AllowedTools, NamesAreMapped) {
  using Name = NormalizedToolName;
  EXPECT_EQ(normalize_skill_tool_name("Read"), (Name{"read", true}));
  EXPECT_EQ(normalize_skill_tool_name("Write"), (Name{"write", true}));
  EXPECT_EQ(normalize_skill_tool_name("Edit"), (Name{"edit", true}));
  EXPECT_EQ(normalize_skill_tool_name("MultiEdit"), (Name{"edit", true}));
  EXPECT_EQ(normalize_skill_tool_name("Glob"), (Name{"find", true}));
  EXPECT_EQ(normalize_skill_tool_name("Grep"), (Name{"grep", true}));
  EXPECT_EQ(normalize_skill_tool_name("LS"), (Name{"ls", true}));
  EXPECT_EQ(normalize_skill_tool_name("Bash"), (Name{"exec", true}));
  EXPECT_EQ(normalize_skill_tool_name("BashOutput"), (Name{"process", true}));
  EXPECT_EQ(normalize_skill_tool_name("KillShell"), (Name{"process", true}));
  EXPECT_EQ(normalize_skill_tool_name("AskUserQuestion"), (Name{"ask_user", true}));
  EXPECT_EQ(normalize_skill_tool_name("read"), (Name{"read", false}));
  EXPECT_EQ(normalize_skill_tool_name("multi_edit"), (Name{"multi_edit", false}));
  EXPECT_EQ(normalize_skill_tool_name("mcp__github__get_me"), (Name{"mcp__github__get_me", false}));
  EXPECT_EQ(normalize_skill_tool_name("WebFetch"), (Name{"WebFetch", false}));
}

TEST(AllowedTools, KeepsSpecs) {
  EXPECT_EQ(normalized({"Bash(git diff:*)", "Read(./Read/**)", "mcp__a__b"}),
            "exec(git diff:*)|read(./Read/**)|mcp__a__b");
}

TEST(AllowedTools, SplitsElementsAndRemovesDuplicates) {
  EXPECT_EQ(normalized({"Read, Edit MultiEdit", "BashOutput", "KillShell", "read"}), "read|edit|process");
}

TEST(AllowedTools, KeepsUnknownNamesWithAWarning) {
  EXPECT_EQ(normalized({"WebFetch(domain:x)", "Raed"}),
            "WebFetch(domain:x)|Raed\n"
            "There is no tool \"WebFetch\"; the name is kept, but allows nothing here.\n"
            "There is no tool \"Raed\"; did you mean read? The name is kept as it is.");
  const std::vector<std::string> list{"WebFetch"};
  const std::vector<std::string> more{"WebFetch"};
  EXPECT_TRUE(normalize_skill_allowed_tools(list, more).warnings.empty());
}

TEST(AllowedTools, WarnsAboutAnOpenParenthesis) {
  EXPECT_EQ(normalized({"Bash(git diff"}),
            "exec(git diff\n\"Bash(git diff\" allows nothing: the closing parenthesis is missing.");
}

}  // namespace
}  // namespace helve::skills
