#include "process/command_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace helve::process {
namespace {

using Words = std::vector<std::string>;

bool has(const CommandEnvironment& environment, std::string_view variable) {
  return std::ranges::find(environment.variables, variable) != environment.variables.end();
}
bool has_name(const CommandEnvironment& environment, const std::string& name) {
  return std::ranges::any_of(environment.variables,
                             [&](const std::string& variable) { return variable.starts_with(name + "="); });
}

TEST(CommandEnvironment, KeepsVariablesThatAreNotSecret) {
  const auto made = make_command_environment({"HOME=/home/me", "PATH=/bin", "PWD=/here", "LANG=C.UTF-8",
                                              "AWS_REGION=eu", "GIT_SSH_COMMAND=ssh -x",
                                              "LD_LIBRARY_PATH=/opt/lib", "MAX_TOKENS=5", "MONKEY=1"});
  for (const char* variable :
       {"HOME=/home/me", "PATH=/bin", "PWD=/here", "LANG=C.UTF-8", "AWS_REGION=eu", "GIT_SSH_COMMAND=ssh -x",
        "LD_LIBRARY_PATH=/opt/lib", "MAX_TOKENS=5", "MONKEY=1"})
    EXPECT_TRUE(has(made, variable)) << variable;
  EXPECT_EQ(made.removed_secrets, Words{});
}

TEST(CommandEnvironment, RemovesSecretsAndNamesThem) {
  const Words names = {
      "ANTHROPIC_API_KEY", "AWS_SESSION_TOKEN", "DATABASE_URL",          "DBUS_SESSION_BUS_ADDRESS",
      "DB_PASSWORD",       "GH_TOKEN",          "GPG_AGENT_INFO",        "HELVE_CONFIG",
      "MY_CLIENT_SECRET",  "SSH_AUTH_SOCK",     "aws_secret_access_key", "npm_config__authToken"};
  Words parent;
  for (const std::string& name : names) parent.push_back(name + "=value-of-it");
  const auto made = make_command_environment(parent);
  EXPECT_EQ(made.removed_secrets, names);
  for (const std::string& variable : made.variables)
    EXPECT_THAT(variable, ::testing::Not(::testing::HasSubstr("value-of-it")));
}

TEST(CommandEnvironment, NoSecretHidesBehindAHarmlessName) {
  const std::string digits(40, '7');
  for (const std::string& value :
       Words{"glpat-" + digits, "sk_live_" + digits, "ghp_" + digits, "AKIA" + digits, "npm_" + digits,
             "https://me:hunter2@example.org/x", std::string("host=db password=hunter2"),
             std::string("-----BEGIN OPENSSH PRIVATE KEY-----\nabc"), "pypi-" + digits,
             "-Dx=1 ghs_" + digits}) {
    const auto made = make_command_environment({"HARMLESS=" + value});
    EXPECT_EQ(made.removed_secrets, Words{"HARMLESS"}) << value;
    EXPECT_FALSE(has_name(made, "HARMLESS")) << value;
    EXPECT_TRUE(
        has_name(make_command_environment({"HARMLESS=" + value}, {.allowed = {"HARMLESS"}}), "HARMLESS"));
  }
  for (const char* value :
       {"https://example.org/a:b@c", "ssh://git@example.org/x", "sk-ip", "AKIA", "/home/me/.ssh/id_ed25519",
        "-----BEGIN CERTIFICATE-----", "01;31:*.tar=01;31", "max_tokens=5", "SG.", "echo ${PWD}"})
    EXPECT_TRUE(has_name(make_command_environment({std::string("HARMLESS=") + value}), "HARMLESS")) << value;
}

TEST(CommandEnvironment, AnAllowListKeepsSecrets) {
  const auto made = make_command_environment({"GH_TOKEN=a", "NPM_TOKEN=b", "NPM_OTHER_TOKEN=c", "X_TOKEN=d"},
                                             {.allowed = {"GH_TOKEN", "NPM_*"}});
  EXPECT_TRUE(has(made, "GH_TOKEN=a"));
  EXPECT_TRUE(has(made, "NPM_OTHER_TOKEN=c"));
  EXPECT_EQ(made.removed_secrets, Words{"X_TOKEN"});
}

TEST(CommandEnvironment, RemovesStartupVariablesEvenWhenAllowed) {
  const auto made =
      make_command_environment({"BASH_ENV=/x", "ENV=/x", "PROMPT_COMMAND=x", "LD_PRELOAD=/x.so",
                                "LD_AUDIT=/x.so", "BASH_FUNC_ls%%=() { x; }", "SHELLOPTS=xtrace", "PS4=$(x)"},
                               {.allowed = {"BASH_ENV", "LD_PRELOAD"}});
  for (const char* name :
       {"BASH_ENV", "ENV", "PROMPT_COMMAND", "LD_PRELOAD", "LD_AUDIT", "BASH_FUNC_ls%%", "SHELLOPTS", "PS4"})
    EXPECT_FALSE(has_name(made, name)) << name;
}

TEST(CommandEnvironment, PreventsPromptsAndPagers) {
  const auto made =
      make_command_environment({"PAGER=less", "CI=", "EDITOR=vim", "TERM=xterm", "FORCE_COLOR=1"});
  for (const char* variable :
       {"CI=1", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "EDITOR=true", "VISUAL=true", "PAGER=cat",
        "GIT_PAGER=cat", "DEBIAN_FRONTEND=noninteractive", "NO_COLOR=1", "TERM=dumb", "PIP_NO_INPUT=1",
        "SSH_ASKPASS=/bin/false", "GIT_ASKPASS=/bin/false", "TMPDIR=/tmp"})
    EXPECT_TRUE(has(made, variable)) << variable;
  EXPECT_FALSE(has_name(made, "FORCE_COLOR"));
}

TEST(CommandEnvironment, ExtraVariablesOverrideAllOthers) {
  const auto made =
      make_command_environment({"A=1"}, {.extra = {{"A", "2"}, {"PAGER", "less"}, {"MY_TOKEN", "t"}}});
  EXPECT_TRUE(has(made, "A=2"));
  EXPECT_TRUE(has(made, "PAGER=less"));
  EXPECT_TRUE(has(made, "MY_TOKEN=t"));
}

TEST(CommandEnvironment, DropsDuplicatesAndMalformedEntries) {
  const auto made = make_command_environment({"A=1", "A=2", "nothing", "=x", "B=x=y"});
  EXPECT_EQ(std::ranges::count_if(made.variables, [](const auto& it) { return it.starts_with("A="); }), 1);
  EXPECT_TRUE(has(made, "A=1"));
  EXPECT_TRUE(has(made, "B=x=y"));
  EXPECT_TRUE(std::ranges::is_sorted(made.variables));
}

}  // namespace
}  // namespace helve::process
