// The table of other agents' tool names.
#include "policy/foreign_names.h"

#include <gtest/gtest.h>

#include <set>

#include "base/file_io.h"
#include "base/strings.h"
#include "policy/tool_names.h"
#include "unit/places.h"

namespace helve::policy {
namespace {

TEST(ForeignNames, LeadToToolsThatExistAndAreListedOnce) {
  std::set<std::string_view> seen;
  for (const ForeignName& each : foreign_names()) {
    EXPECT_TRUE(seen.insert(each.name).second) << each.name;
    EXPECT_TRUE(look_up_tool(each.tool).known) << each.tool;
    EXPECT_NE(each.name, each.tool);
  }
}

TEST(ForeignNames, OnlyAgentsNamesCountForPermissions) {
  EXPECT_EQ(tool_of_agents("run_shell_command"), "exec");
  EXPECT_EQ(tool_of_agents("RUN_SHELL_COMMAND"), "");
  EXPECT_EQ(tool_of_agents("file_list"), "");
  EXPECT_EQ(tool_of_agents("file_list", {{"file_list", "find"}}), "find");
  EXPECT_EQ(tool_of_claude_code("Bash"), "exec");
  EXPECT_EQ(tool_of_claude_code("bash"), "");
}

TEST(ForeignNames, GuessesIgnoreCaseAndSeparators) {
  for (const std::string_view name : {"read_file", "readFile", "ReadFile", "read-file", "READFILE"})
    EXPECT_EQ(tool_guessed(name), "read") << name;
  EXPECT_EQ(tool_guessed("container.exec"), "exec");
  EXPECT_EQ(tool_guessed("fly_away"), "");
  EXPECT_EQ(tool_guessed("beam_me", {{"BeamMe", "exec"}}), "exec");
}

// Names of long ago, and those that models use most.
TEST(ForeignNames, OldAndForeignNamesHaveASuggestion) {
  for (const std::string_view name : {"read_file",
                                      "write_file",
                                      "edit_file",
                                      "execute_command",
                                      "list_directory",
                                      "glob_search",
                                      "grep_search",
                                      "text_replace",
                                      "directory_tree",
                                      "get_file_info",
                                      "create_directory",
                                      "move_files",
                                      "edit_text",
                                      "file_list",
                                      "list_files",
                                      "run_shell_command",
                                      "search_files",
                                      "str_replace",
                                      "view",
                                      "cat",
                                      "bash",
                                      "shell",
                                      "create_file",
                                      "delete_file",
                                      "file_read",
                                      "file_write",
                                      "read_text_file",
                                      "apply_diff",
                                      "run_command",
                                      "codebase_search"})
    EXPECT_NE(tool_guessed(name), "") << name;
}

TEST(ForeignNames, TheDocumentationListsTheNamesOfAgents) {
  const std::string page = read_file(places::in_source("docs/skills.md")).value();
  for (const ForeignName& each : foreign_names()) {
    if (each.agent == Agent::kGuess) continue;
    const std::string tool = each.tool == "multi_edit" ? "edit" : std::string(each.tool);
    const std::size_t row = page.find(concat("\n| `", tool, "` |"));
    ASSERT_NE(row, std::string::npos) << tool;
    const std::string cells = page.substr(row, page.find('\n', row + 1) - row);
    EXPECT_NE(cells.find(concat("`", each.name, "`")), std::string::npos) << each.name;
  }
}

}  // namespace
}  // namespace helve::policy
