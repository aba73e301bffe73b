#include "policy/possible_commands.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "policy/command_words.h"

namespace helve::policy {
namespace {

std::vector<std::string> possible(std::string_view line) {
  std::vector<std::string> found;
  for (const auto& command : possible_commands(shell::parse_command_line(line).commands.at(0)))
    found.push_back(spell_out(command.words));
  return found;
}

using Texts = std::vector<std::string>;

TEST(PossibleCommands, EverythingBehindAnUnknownProgramMayRun) {
  EXPECT_EQ(possible("foo -n 3 rm x"), (Texts{"3 rm x", "rm x", "x"}));
  EXPECT_EQ(possible("foo --exec='rm x'"), (Texts{"x", "rm x"}));
  EXPECT_EQ(possible("./grep rm x"), (Texts{"rm x", "x"}));
  EXPECT_EQ(possible("foo"), Texts{});
}

TEST(PossibleCommands, ArgumentsOfKnownProgramsAreNoCommands) {
  for (const char* line :
       {"git commit -m 'rm x'", "grep rm x", "echo rm x", "docker rm x", "/usr/bin/grep rm x",
        "timeout 5 rm x", "aws s3 rm x", "node_modules/.bin/eslint rm"})
    EXPECT_EQ(possible(line), Texts{}) << line;
}

TEST(PossibleCommands, RunnersRunWhatIsBehindTheirSubcommand) {
  EXPECT_EQ(possible("docker exec c rm x"), (Texts{"c rm x", "rm x", "x"}));
  EXPECT_EQ(possible("uv run rm x"), Texts{"rm x"});
  EXPECT_EQ(possible("npx eslint 'rm x'"), Texts{"eslint 'rm x'"});
  EXPECT_EQ(possible("uv run foo rm"), (Texts{"foo rm", "rm"}));
  EXPECT_EQ(possible("docker run images/rm"), Texts{});
}

}  // namespace
}  // namespace helve::policy
