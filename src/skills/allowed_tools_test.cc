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
  EXPECT_TRUE(normalize_skill_allowed_tools(list, {.tools = {"WebFetch"}}).warnings.empty());
}

TEST(AllowedTools, NamesOfOtherAgentsAreMapped) {
  const auto canonical = [](std::string_view name) { return normalize_skill_tool_name(name).canonical; };
  // Codex
  EXPECT_EQ(canonical("shell"), "exec");
  EXPECT_EQ(canonical("exec_command"), "exec");
  EXPECT_EQ(canonical("write_stdin"), "process");
  EXPECT_EQ(canonical("view_image"), "read");
  EXPECT_EQ(canonical("list_dir"), "ls");
  EXPECT_EQ(canonical("apply_patch"), "apply_patch");
  // Gemini CLI
  EXPECT_EQ(canonical("read_file"), "read");
  EXPECT_EQ(canonical("write_file"), "write");
  EXPECT_EQ(canonical("replace"), "edit");
  EXPECT_EQ(canonical("run_shell_command"), "exec");
  EXPECT_EQ(canonical("search_file_content"), "grep");
  EXPECT_EQ(canonical("glob"), "find");
  EXPECT_EQ(canonical("list_directory"), "ls");
  EXPECT_EQ(canonical("ask_user"), "ask_user");
  // opencode
  EXPECT_EQ(canonical("bash"), "exec");
  EXPECT_EQ(canonical("list"), "ls");
  EXPECT_EQ(canonical("patch"), "apply_patch");
  EXPECT_EQ(canonical("multiedit"), "edit");
  // No permission depends on a guess.
  EXPECT_EQ(normalized({"str_replace"}),
            "str_replace\nThere is no tool \"str_replace\"; did you mean edit? The name is kept as it is.");
}

TEST(AllowedTools, ASettingAddsNames) {
  const std::vector<std::string> list{"Terminal(git diff:*) LookUp"};
  const NormalizedTools tools =
      normalize_skill_allowed_tools(list, {.names = {{"Terminal", "exec"}, {"LookUp", "no_such_tool"}}});
  EXPECT_EQ(tools.tools, (std::vector<std::string>{"exec(git diff:*)", "no_such_tool"}));
  ASSERT_EQ(tools.warnings.size(), 1U);
  EXPECT_NE(tools.warnings[0].find("\"LookUp\""), std::string::npos) << tools.warnings[0];
}

TEST(AllowedTools, WarnsAboutAnOpenParenthesis) {
  EXPECT_EQ(normalized({"Bash(git diff"}),
            "exec(git diff\n\"Bash(git diff\" allows nothing: the closing parenthesis is missing.");
}

}  // namespace
}  // namespace helve::skills
