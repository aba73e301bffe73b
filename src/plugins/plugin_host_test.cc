#include "plugins/plugin_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/strings.h"
#include "core/testing.h"

namespace helve::plugins {
namespace {

class PluginHostTest : public helve::testing::RuntimeFixture {
 protected:
  PluginHostTest() : RuntimeFixture(/*built_in_tools=*/true) { directory_.make("plugins"); }

  void put(const std::string& name, const std::string& tools, const std::string& more = "") {
    directory_.write(concat("plugins/", name, ".toml"),
                     concat("name = \"", name, "\"\nversion = \"1.0.0\"\n", more, tools));
  }
  static std::string tool(const std::string& name, const std::string& command, const std::string& more = "") {
    return concat("[[tools]]\nname = \"", name, "\"\ndescription = \"A test.\"\ncommand = ", command, "\n",
                  more);
  }
  std::vector<PluginProblem> refresh() {
    if (!host_)
      host_.emplace(runtime().tools(),
                    PluginHost::Options{.folders = {.user = directory_.at("plugins"),
                                                    .project = directory_.at("workspace/.helve/plugins")},
                                        .settings = settings::copy_of(options_.settings),
                                        .places = {.workspace = runtime().workspace(),
                                                   .state_directory = directory_.at("state")}});
    return host_->refresh();
  }
  Answer call(const std::string& name, JsonObject arguments) {
    return runtime().call({.tool = name, .arguments = std::move(arguments)});
  }
  std::string said(const Answer& answer) {
    return answer.ok() ? answer.result->content : answer.result.error().message;
  }

  std::optional<PluginHost> host_;
};

constexpr const char* kText =
    "parameters = [{name = \"text\", type = \"string\", description = \"Text.\", required = true}]\n";
constexpr const char* kPath =
    "parameters = [{name = \"path\", type = \"path\", description = \"File.\", required = true}]\n";

TEST_F(PluginHostTest, ACommandBecomesATool) {
  put("shout", tool("shout_text", "[\"tr\", \"a-z\", \"A-Z\"]",
                    concat("effect = \"read\"\nstdin = \"{text}\"\n", kText)));
  EXPECT_TRUE(refresh().empty());
  const auto registered = runtime().tools().find("shout_text").value();
  EXPECT_EQ(registered->definition.group, "shout");
  EXPECT_EQ(registered->definition.effect, Effect::kRead);
  const Answer answer = call("shout_text", {{"text", "hello; $(x)"}});
  EXPECT_EQ(said(answer), "HELLO; $(X)\n");
  EXPECT_EQ(call("shout_text", {}).result.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(PluginHostTest, UsesNoShell) {
  put("echoes", tool("echo_text", "[\"printf\", \"%s\", \"{text}\"]", kText));
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(said(call("echo_text", {{"text", "$(touch pwned) `id` ; touch pwned"}})),
            "$(touch pwned) `id` ; touch pwned\n");
  EXPECT_FALSE(directory_.exists("workspace/pwned"));
}

TEST_F(PluginHostTest, PathsStayInTheWorkspace) {
  put("show", tool("show_file", "[\"cat\", \"{path}\"]", concat("effect = \"read\"\n", kPath)));
  ASSERT_TRUE(refresh().empty());
  directory_.write("workspace/-x", "dash\n");
  EXPECT_EQ(said(call("show_file", {{"path", "-x"}})), "dash\n");
  EXPECT_EQ(call("show_file", {{"path", "../state/audit.jsonl"}}).result.error().code, ErrorCode::kSecurity);
  EXPECT_EQ(call("show_file", {{"path", "/etc/passwd"}}).result.error().code, ErrorCode::kSecurity);
  EXPECT_EQ(call("show_file", {{"path", "missing"}}).result.error().code, ErrorCode::kNotFound);
}

TEST_F(PluginHostTest, AReadToolCannotWrite) {
  put("liar", tool("lie", "[\"touch\", \"made\"]", "effect = \"read\"\n"));
  put("maker", tool("make_file", "[\"touch\", \"made\"]", "effect = \"write\"\n"));
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(call("lie", {}).result.error().code, ErrorCode::kExecutionFailed);
  EXPECT_FALSE(directory_.exists("workspace/made"));
  EXPECT_THAT(said(call("make_file", {{"dryRun", true}})), ::testing::HasSubstr("Would run: touch made"));
  EXPECT_FALSE(directory_.exists("workspace/made"));
  EXPECT_TRUE(call("make_file", {}).ok());
  EXPECT_TRUE(directory_.exists("workspace/made"));
}

TEST_F(PluginHostTest, WithoutASandboxEveryToolCountsAsExecute) {
  options_.settings.sandbox.level = SandboxLevel::kOff;
  put("liar", tool("lie", "[\"touch\", \"made\"]", "effect = \"read\"\n"));
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(runtime().tools().find("lie").value()->definition.effect, Effect::kExecute);
}

TEST_F(PluginHostTest, ReportsFailuresAndTimeouts) {
  put("bad", concat(tool("fails", "[\"sh\", \"-c\", \"echo oops >&2; exit 3\"]"),
                    tool("hangs", "[\"sleep\", \"100\"]", "time_limit_ms = 200\n"),
                    tool("agrees", "[\"sh\", \"-c\", \"exit 3\"]", "exit_codes = [0, 3]\n"),
                    tool("missing", "[\"no-such-program\"]")));
  ASSERT_TRUE(refresh().empty());
  const Error failed = call("fails", {}).result.error();
  EXPECT_EQ(failed.code, ErrorCode::kExecutionFailed);
  EXPECT_THAT(failed.message, ::testing::HasSubstr("fails: sh failed: exit code 3"));
  EXPECT_THAT(failed.message, ::testing::HasSubstr("oops"));
  EXPECT_EQ(call("hangs", {}).result.error().code, ErrorCode::kTimeout);
  EXPECT_TRUE(call("agrees", {}).ok());
  EXPECT_EQ(call("missing", {}).result.error().message, "The program no-such-program was not found.");
}

TEST_F(PluginHostTest, OutputIsBoundedAndMayBeJson) {
  put("out", concat(tool("much", "[\"head\", \"-c\", \"3000000\", \"/dev/zero\"]"),
                    tool("data", "[\"printf\", \"%s\", \"{{\\\"a\\\": [1, 2]}}\"]", "output = \"json\"\n"),
                    tool("no_data", "[\"echo\", \"no\"]", "output = \"json\"\n")));
  ASSERT_TRUE(refresh().empty());
  const Answer much = call("much", {});
  ASSERT_TRUE(much.ok()) << much.result.error().message;
  EXPECT_LT(much.result->content.size(), 100'000U);
  EXPECT_TRUE(much.result->truncated);
  const Answer data = call("data", {});
  ASSERT_TRUE(data.ok()) << data.result.error().message;
  EXPECT_EQ(*data.result->data.find("result"), Json(JsonObject{{"a", JsonArray{1, 2}}}));
  EXPECT_THAT(call("no_data", {}).result.error().message, ::testing::HasSubstr("must print JSON"));
}

TEST_F(PluginHostTest, SkipsInvalidPluginsAndLoadsTheOthers) {
  put("clash", concat(tool("fresh", "[\"true\"]"), tool("read", "[\"true\"]")));
  put("good", tool("fine", "[\"true\"]"));
  put("later", "[[tools]]\nname = \"x\"\n", "kind = \"library\"\nlibrary = \"x.so\"\n");
  directory_.write("plugins/broken.toml", "name = [");
  directory_.write("plugins/other.toml",
                   concat("name = \"different\"\nversion = \"1.0.0\"\n", tool("y", "[\"true\"]")));
  directory_.write("plugins/notes.txt", "not a plugin");
  put("open", tool("z", "[\"true\"]"));
  ::chmod(directory_.at("plugins/open.toml").c_str(), 0666);
  std::vector<std::string> problems;
  for (const PluginProblem& problem : refresh())
    problems.push_back(problem.error.message.substr(directory_.at("plugins/").size()));
  std::ranges::sort(problems);
  ASSERT_EQ(problems.size(), 5U);
  EXPECT_TRUE(problems[0].starts_with("broken.toml")) << problems[0];
  EXPECT_EQ(problems[1], "clash.toml: There is already a tool with the name read.");
  EXPECT_EQ(problems[2], "later.toml: a plugin of the kind library needs its own directory.");
  EXPECT_EQ(problems[3], "open.toml is writable by everyone.");
  EXPECT_EQ(problems[4], "other.toml: the plugin is named different, but its file is named other.");
  EXPECT_TRUE(call("fine", {}).ok());
  EXPECT_EQ(call("fresh", {}).result.error().code, ErrorCode::kUnknownTool);  // all of a plugin or nothing
}

TEST_F(PluginHostTest, LoadsAndUnloadsPluginsWhileRunning) {
  put("a", tool("one", "[\"echo\", \"first\"]"));
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(said(call("one", {})), "first\n");
  put("a", tool("one", "[\"echo\", \"second\"]"));
  put("b", tool("two", "[\"echo\", \"two\"]"));
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(said(call("one", {})), "second\n");
  EXPECT_EQ(said(call("two", {})), "two\n");
  std::filesystem::remove(directory_.at("plugins/a.toml"));
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(call("one", {}).result.error().code, ErrorCode::kUnknownTool);
  EXPECT_TRUE(call("two", {}).ok());
}

TEST_F(PluginHostTest, ADirectoryContainsItsOwnPrograms) {
  directory_.write(
      "workspace/.helve/plugins/own/plugin.toml",
      concat("name = \"own\"\nversion = \"1.0.0\"\n", tool("greet", "[\"./greet.sh\", \"{text}\"]", kText)));
  directory_.write("workspace/.helve/plugins/own/greet.sh", "#!/bin/sh\necho \"hello $1\"\n");
  // In the project, because the sandbox hides the rest of /tmp.
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(call("greet", {{"text", "x"}}).result.error().code,
            ErrorCode::kUnavailable);  // cannot be run yet
  ::chmod(directory_.at("workspace/.helve/plugins/own/greet.sh").c_str(), 0755);
  EXPECT_EQ(said(call("greet", {{"text", "you"}})), "hello you\n");
}

}  // namespace
}  // namespace helve::plugins
