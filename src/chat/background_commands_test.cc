#include "chat/background_commands.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace helve::chat {
namespace {

std::string chosen(std::vector<BackgroundCommand> commands, std::string_view id) {
  const auto command = choose_command(commands, id, "/tail");
  return command ? command->id : concat(command.error().message, " ", command.error().hint);
}

TEST(BackgroundCommands, AreChosenByIdOrAsTheOnlyCandidate) {
  const BackgroundCommand server{"cmd_a", "npm run dev", true};
  const BackgroundCommand build{"cmd_b", "make\nall", true};
  const BackgroundCommand ended{"cmd_c", "true", false};
  EXPECT_EQ(chosen({server, build, ended}, "cmd_b"), "cmd_b");
  EXPECT_EQ(chosen({ended}, ""), "cmd_c");
  EXPECT_EQ(chosen({ended, server}, ""), "cmd_a");
  EXPECT_EQ(chosen({server, build, ended}, ""),
            "Several commands match. Name one: /tail ID cmd_a (npm run dev), cmd_b (make all)");
  EXPECT_EQ(chosen({server, ended}, "cmd_z"),
            "There is no background command cmd_z. Background commands: cmd_a (npm run dev), cmd_c (true).");
  EXPECT_EQ(chosen({}, "cmd_z"), "There are no background commands. ");
}

}  // namespace
}  // namespace helve::chat
