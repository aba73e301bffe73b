#include "cli/exec_at_shell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/testing.h"

namespace helve::cli {
namespace {

using ::testing::HasSubstr;

class ExecAtShellTest : public testing::RuntimeFixture {
 protected:
  ExecAtShellTest() : RuntimeFixture(/*built_in_tools=*/true) {}
  bool takes(const std::string& tool, std::string_view parameter) {
    const auto found = runtime().tools().find(tool);
    const ParamType params = params_at_shell((*found)->definition);
    return std::ranges::find(params.members, parameter, &Param::name) != params.members.end();
  }
};

TEST_F(ExecAtShellTest, HidesTheParametersOfBackgroundCommands) {
  EXPECT_TRUE(takes("exec", "command"));
  EXPECT_FALSE(takes("exec", "background"));
  EXPECT_FALSE(takes("exec", "yieldMs"));
  EXPECT_TRUE(takes("read", "path"));
}

TEST_F(ExecAtShellTest, RefusesACommandThatWouldEndWithTheCall) {
  EXPECT_FALSE(refused_at_shell("exec", JsonObject{{"command", "true"}}));
  EXPECT_FALSE(refused_at_shell("exec", JsonObject{{"background", false}}));
  EXPECT_FALSE(refused_at_shell("other", JsonObject{{"background", true}}));
  const auto background = refused_at_shell("exec", JsonObject{{"background", true}});
  ASSERT_TRUE(background);
  EXPECT_EQ(background->code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(background->hint, HasSubstr("helve exec … &"));
  EXPECT_TRUE(refused_at_shell("exec", JsonObject{{"yieldMs", 5}}));
}

TEST_F(ExecAtShellTest, ReadsStdinOnlyIfItIsPassed) {
  EXPECT_TRUE(leaves_stdin("exec", JsonObject{{"command", "cat"}}));
  EXPECT_FALSE(leaves_stdin("exec", JsonObject{{"stdin", "x"}}));
  EXPECT_FALSE(leaves_stdin("read", JsonObject()));
}

TEST_F(ExecAtShellTest, ACommandThatWaitsForInputIsAnErrorWithItsOutput) {
  Output ended{.summary = "Exit code 0", .data = JsonObject{{"running", false}}};
  EXPECT_FALSE(input_wait_error(ended));
  EXPECT_EQ(ended.summary, "Exit code 0");
  Output waiting{
      .summary = "Still running",
      .content = "Name? \n(continues in the background)",
      .data = JsonObject{
          {"running", true}, {"newOutput", "Name? "}, {"waitsForInput", JsonObject{{"program", "adduser"}}}}};
  const auto error = input_wait_error(waiting);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "adduser waited for input, which is not available here; it was ended.");
  EXPECT_THAT(error->hint, HasSubstr("--stdin"));
  EXPECT_EQ(waiting.content, "Name? ");
  EXPECT_EQ(waiting.summary, "");
  Output password{.data = JsonObject{{"running", true}, {"waitsForInput", JsonObject{{"password", true}}}}};
  EXPECT_EQ(input_wait_error(password)->message,
            "The command waited for a password, which is not available here; it was ended.");
}

}  // namespace
}  // namespace helve::cli
