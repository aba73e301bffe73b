#include "app/invocation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/testing.h"
#include "base/environment.h"
#include "base/json_parse.h"
#include "base/strings.h"
#include "base/test_directory.h"
#include "helve/settings.h"

namespace helve::app {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Without the configuration of the user who runs the tests.
class InvocationTest : public ::testing::Test {
 protected:
  InvocationTest() {
    for (const auto& [name, value] : {std::pair{"XDG_CONFIG_HOME", "config"}, {"XDG_STATE_HOME", "state"}}) {
      before_.emplace_back(name, environment_variable(name));
      ::setenv(name, directory_.at(value).c_str(), 1);
    }
    directory_.make("work/inner");
    options_.workspace = directory_.at("work/inner");
  }
  ~InvocationTest() override {
    for (const auto& [name, value] : before_)
      value.empty() ? ::unsetenv(name.c_str()) : ::setenv(name.c_str(), value.c_str(), 1);
  }
  [[nodiscard]] Invocation invocation() const { return {terminal_, options_}; }
  [[nodiscard]] Error config_error() const {
    const auto config = invocation().config();
    EXPECT_FALSE(config);
    return config ? Error() : config.error();
  }

  TestDirectory directory_;
  std::vector<std::pair<std::string, std::string>> before_;
  Printer terminal_;
  GlobalOptions options_;
};

TEST_F(InvocationTest, RefusesAWorkspaceThatDoesNotExist) {
  options_.workspace = directory_.at("missing");
  EXPECT_EQ(config_error().code, ErrorCode::kNotFound);
  EXPECT_EQ(config_error().hint, "Name an existing directory with --workspace.");
  EXPECT_FALSE(invocation().runtime());
}

TEST_F(InvocationTest, RefusesASettingWithoutAValueAndAMissingConfigurationFile) {
  options_.set = {"results.limit"};
  EXPECT_EQ(config_error().message, "--set must be key=value, but is \"results.limit\".");
  options_.set = {"results.limit=lots"};
  EXPECT_THAT(config_error().message, HasSubstr("results.limit"));
  options_.set = {};
  options_.config = directory_.at("missing.toml");
  EXPECT_THAT(config_error().message, HasSubstr("missing.toml"));
}

TEST_F(InvocationTest, FlagsOverrideTheConfigurationOfTheUser) {
  directory_.write("config/helve/config.toml", "mode = \"plan\"\n[log]\nlevel = \"info\"\n");
  const auto mode_and_level = [&] {
    const auto config = invocation().config({{"mode", "full"}});
    EXPECT_TRUE(config) << config.error().message;
    return std::pair{config->settings->mode, config->settings->log.level};
  };
  EXPECT_EQ(mode_and_level(), (std::pair{Mode::kPlan, LogLevel::kInfo}));
  options_.mode = Mode::kAuto;
  options_.verbose = true;
  EXPECT_EQ(mode_and_level(), (std::pair{Mode::kAuto, LogLevel::kDebug}));
  options_.quiet = true;
  EXPECT_EQ(mode_and_level().second, LogLevel::kError);
}

TEST_F(InvocationTest, WarnsOfTheConfigurationOfAParentDirectoryUnlessQuiet) {
  directory_.write("work/.helve/config.toml", "mode = \"plan\"\n");
  const auto warnings = [&] {
    const Redirected err(STDERR_FILENO);
    static_cast<void>(invocation().config());
    return err.text();
  };
  EXPECT_THAT(warnings(), HasSubstr(concat(directory_.at("work/.helve/config.toml"),
                                           " belongs to a parent directory and is not used here")));
  options_.quiet = true;
  EXPECT_THAT(warnings(), IsEmpty());
  options_.quiet = false;
  directory_.write("work/inner/.helve/config.toml", "");
  EXPECT_THAT(warnings(), ::testing::Not(HasSubstr("parent directory")));
}

TEST_F(InvocationTest, ReportsAnErrorForPeopleAndWithJsonForPrograms) {
  const Error error{ErrorCode::kNotFound, "There is no \x1b[31mthing.", "Look elsewhere."};
  const auto report = [&] {
    const Redirected out(STDOUT_FILENO);
    const Redirected err(STDERR_FILENO);
    const int code = invocation().report(error, kUsage);
    return std::tuple{code, out.text(), err.text()};
  };
  const auto [code, nothing, text] = report();
  EXPECT_EQ(code, kUsage);
  EXPECT_THAT(nothing, IsEmpty());
  EXPECT_THAT(text, HasSubstr("error: There is no "));
  EXPECT_THAT(text, HasSubstr("hint: Look elsewhere.\n"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("\x1b")));
  options_.json = true;
  const std::string envelope = std::get<1>(report());
  const auto json = parse_json(envelope);
  ASSERT_TRUE(json) << envelope;
  EXPECT_EQ(*json->find("ok"), Json(false));
  EXPECT_EQ(*json->find("error"), error.to_json());
}

TEST_F(InvocationTest, ShellCallsOfAWorkspaceShareASessionAndOthersDoNot) {
  const auto session_in = [&](const std::string& workspace) {
    const auto runtime = invocation().in_workspace(directory_.at(workspace)).runtime();
    EXPECT_TRUE(runtime) << runtime.error().message;
    return (*runtime)->default_session().id();
  };
  EXPECT_EQ(session_in("work"), session_in("work/../work"));
  EXPECT_NE(session_in("work"), session_in("work/inner"));
}

}  // namespace
}  // namespace helve::app
