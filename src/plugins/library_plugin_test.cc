// Library plugins, valid and invalid, in their own process and in this one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <sstream>

#include "plugins/library.h"
#include "plugins/testing.h"

namespace helve::plugins {
namespace {

class LibraryPluginTest : public PluginFixture {
 protected:
  // The only problem, without the directory.
  std::string problem() {
    const auto problems = refresh();
    EXPECT_EQ(problems.size(), 1U);
    if (problems.empty()) return {};
    return replace_all(problems.front().error.message, directory_.at("plugins/"), "");
  }
};

TEST_F(LibraryPluginTest, ToolsWorkLikeAllOthers) {
  put_library("moody", "moody moody_echo");
  ASSERT_TRUE(refresh().empty());
  const auto tool = runtime().tools().find("moody").value();
  EXPECT_EQ(tool->definition.group, "moody");
  EXPECT_EQ(tool->definition.server, "");
  EXPECT_EQ(tool->definition.effect, Effect::kRead);
  EXPECT_EQ(tool->definition.description, "Does what the mood says.");
  const Answer answer = call("moody", {{"text", "ö\n\"x\""}, {"times", 2}});
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_EQ(answer.result->content, "ö\n\"x\"\nö\n\"x\"\n");
  EXPECT_EQ(answer.result->summary, "said it");
  EXPECT_EQ(answer.result->data, Json(JsonObject{{"times", 2}}));
  const Error wrong = call("moody", {{"times", 1000}, {"txt", 1}}).result.error();
  EXPECT_EQ(wrong.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(wrong.message, ::testing::HasSubstr("txt is not a known parameter; did you mean text?"));
  EXPECT_THAT(wrong.message, ::testing::HasSubstr("times"));
  EXPECT_EQ(said(call("moody_echo", {{"value", JsonArray{1, 2.5, nullptr, JsonObject{{"a", true}}}}})),
            R"([1,2.5,null,{"a":true}])");
}

TEST_F(LibraryPluginTest, ErrorsKeepTheirCodesAndHints) {
  put_library("moody", "moody");
  ASSERT_TRUE(refresh().empty());
  const Error missing = call("moody", {{"mood", "fail"}, {"text", "luck"}}).result.error();
  EXPECT_EQ(missing.code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.message, "there is no luck");
  EXPECT_EQ(missing.hint, "Look elsewhere.");
  EXPECT_EQ(call("moody", {{"mood", "throw"}, {"text", "up"}}).result.error().message, "It threw: up");
}

TEST_F(LibraryPluginTest, ADryRunReachesTheLibrary) {
  put_library("moody", "moody", "write");
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(said(call("moody", {{"mood", "write"}, {"dryRun", true}})), "would do it\n");
  EXPECT_TRUE(
      runtime().tools().find("moody").value()->definition.input_schema().find("properties")->find("dryRun"));
}

TEST_F(LibraryPluginTest, OffersOnlyToolsThatTheManifestNames) {
  put_library("moody", "moody_echo");
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(call("moody").result.error().code, ErrorCode::kUnknownTool);
  EXPECT_TRUE(call("moody_echo", {{"value", 1}}).ok());
}

TEST_F(LibraryPluginTest, ReportsAMisspelledToolWithTheAvailableOnes) {
  put_library("moody", "mody moody_echo");
  EXPECT_EQ(problem(), "moody/plugin.toml: the manifest names mody, which the plugin does not provide.");
  EXPECT_EQ(host_->refresh().front().error.hint, "It provides moody; use these names in the manifest.");
}

TEST_F(LibraryPluginTest, ACrashIsContainedAndTheProcessRestarts) {
  put_library("moody", "moody moody_echo");
  ASSERT_TRUE(refresh().empty());
  const Error lost = call("moody", {{"mood", "crash"}}).result.error();
  EXPECT_EQ(lost.code, ErrorCode::kOutcomeUnknown);
  EXPECT_THAT(
      lost.message,
      ::testing::HasSubstr("The plugin moody was lost during the call: The server was killed by signal 6"));
  EXPECT_EQ(said(call("moody")), "fine\n");
  EXPECT_TRUE(call("ls", {{"path", "."}}).ok());
}

TEST_F(LibraryPluginTest, RestartsTheProcessOfAHangingTool) {
  options_.settings.plugins.time_limit_ms = 300;
  put_library("moody", "moody");
  ASSERT_TRUE(refresh().empty());
  const Error late = call("moody", {{"mood", "hang"}}).result.error();
  EXPECT_EQ(late.code, ErrorCode::kTimeout);
  EXPECT_EQ(late.message, "The plugin moody did not answer in time.");
  // Its process ends two seconds after that; calls go on before and after.
  const auto call_patiently = [&] {
    return said(runtime().call({.tool = "moody", .time_limit = std::chrono::seconds(20)}));
  };
  EXPECT_EQ(call_patiently(), "fine\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(2'500));
  std::string after;
  for (int i = 0; i < 5 && after != "fine\n"; ++i) after = call_patiently();  // one may be lost with it
  EXPECT_EQ(after, "fine\n");
}

TEST_F(LibraryPluginTest, StopsACallInTheLibrary) {
  put_library("moody", "moody");
  ASSERT_TRUE(refresh().empty());
  std::stop_source stop;
  std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    stop.request_stop();
  });
  const Answer answer =
      runtime().call({.tool = "moody", .arguments = JsonObject{{"mood", "wait"}}, .stop = stop.get_token()});
  EXPECT_EQ(answer.result.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(said(call("moody")), "fine\n");  // the same process: it did stop
}

TEST_F(LibraryPluginTest, ProgressIsReported) {
  put_library("moody", "moody");
  ASSERT_TRUE(refresh().empty());
  std::atomic<int> reports = 0;
  const Answer answer = runtime().call({.tool = "moody",
                                        .arguments = JsonObject{{"times", 3}},
                                        .on_progress = [&](const Progress&) { ++reports; }});
  EXPECT_TRUE(answer.ok());
  EXPECT_GE(reports, 1);
}

TEST_F(LibraryPluginTest, ItsOutputIsNotReadAsAMessage) {
  put_library("moody", "moody");
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(said(call("moody", {{"mood", "print"}})), "fine\n");
}

TEST_F(LibraryPluginTest, AReadToolCannotWrite) {
  put_library("moody", "moody");
  ASSERT_TRUE(refresh().empty());
  const Answer answer = call("moody", {{"mood", "write"}, {"text", directory_.at("workspace/made")}});
  EXPECT_FALSE(answer.ok());
  EXPECT_FALSE(directory_.exists("workspace/made"));
}

// A library with a tool that declares the effect write.
class WritingPluginTest : public LibraryPluginTest {
 protected:
  WritingPluginTest() {
    directory_.make("outside");
    put_library("moody", "moody moody_echo", "write");
  }
  // Whether the tool could create a file there. The sandbox has its own /tmp, so its answer does not count.
  bool writes(const std::string& place) {
    const Answer answer = call("moody", {{"mood", "write"}, {"text", directory_.at(place)}});
    EXPECT_TRUE(answer.ok() || !directory_.exists(place)) << place << ": " << said(answer);
    return directory_.exists(place);
  }
};

TEST_F(WritingPluginTest, WritesOnlyInTheWorkspace) {
  ASSERT_TRUE(refresh().empty());
  EXPECT_TRUE(writes("workspace/made"));
  EXPECT_FALSE(writes("outside/made"));
  EXPECT_FALSE(writes("made"));
  EXPECT_FALSE(writes("plugins/moody/made"));
  EXPECT_FALSE(writes("state/made"));
}

TEST_F(WritingPluginTest, CountsAsExecuteInAllItsTools) {
  ASSERT_TRUE(refresh().empty());
  for (const char* tool : {"moody", "moody_echo"})
    EXPECT_EQ(runtime().tools().find(tool).value()->definition.effect, Effect::kExecute) << tool;
}

TEST_F(WritingPluginTest, CannotWriteWhatOtherProgramsWouldRun) {
  for (const char* part : {"HEAD", "objects/x", "refs/x", "hooks/sample"})
    directory_.write(concat("workspace/project/.git/", part), "ref: refs/heads/main\n");
  ASSERT_TRUE(refresh().empty());
  EXPECT_FALSE(writes("workspace/project/.git/hooks/pre-commit"));
  EXPECT_FALSE(writes("workspace/.helve/config.toml"));
  EXPECT_TRUE(writes("workspace/project/.git/COMMIT_EDITMSG"));
}

TEST_F(WritingPluginTest, CannotWriteWhereCommandsMayNot) {
  options_.settings.sandbox.level = SandboxLevel::kReadOnly;
  ASSERT_TRUE(refresh().empty());
  EXPECT_FALSE(writes("workspace/made"));
}

TEST_F(WritingPluginTest, LeavesNoPlaceholdersBehind) {
  ASSERT_TRUE(refresh().empty());
  EXPECT_TRUE(writes("workspace/made"));
  host_.reset();
  int entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory_.at("workspace"))) {
    EXPECT_EQ(entry.path().filename(), "made");
    ++entries;
  }
  EXPECT_EQ(entries, 1);
}

TEST_F(WritingPluginTest, RunsWithoutASandboxIfTheSettingsNameIt) {
  options_.settings.plugins.unsandboxed = {"other", "moody"};
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(runtime().tools().find("moody").value()->definition.effect, Effect::kExecute);
  EXPECT_TRUE(writes("outside/made"));
}

TEST_F(WritingPluginTest, AStarNamesAllPlugins) {
  options_.settings.plugins.unsandboxed = {"mood", "moody2"};
  ASSERT_TRUE(refresh().empty());
  EXPECT_FALSE(writes("outside/made"));
  host_.reset();
  options_.settings.plugins.unsandboxed = {"*"};
  ASSERT_TRUE(refresh().empty());
  EXPECT_TRUE(writes("outside/made"));
}

TEST_F(LibraryPluginTest, WithoutASandboxTheEffectReadCountsAsExecute) {
  options_.settings.plugins.unsandboxed = {"moody"};
  put_library("moody", "moody");
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(runtime().tools().find("moody").value()->definition.effect, Effect::kExecute);
}

TEST_F(LibraryPluginTest, RefusesAResultThatIsTooLong) {
  put_library("flood", "bad_tool");
  ASSERT_TRUE(refresh().empty());
  const Error flood = call("bad_tool").result.error();
  EXPECT_EQ(flood.code, ErrorCode::kExecutionFailed);
  EXPECT_THAT(flood.message,
              ::testing::HasSubstr("returned a result of 1,073,741,824 bytes; the limit is 16,777,216."));
}

TEST_F(LibraryPluginTest, AnInvalidResultIsAnErrorOfThePlugin) {
  put_library("no_result", "bad_tool");
  ASSERT_TRUE(refresh().empty());
  const Error error = call("bad_tool").result.error();
  EXPECT_THAT(error.message, ::testing::HasSubstr("returned a result that is not JSON: "));
  EXPECT_THAT(error.hint, ::testing::HasSubstr("This is an error in the plugin"));
}

struct BadLibrary {
  const char* library;
  const char* tool;
  const char* problem;  // how it begins
};

class BadLibraryTest : public LibraryPluginTest, public ::testing::WithParamInterface<BadLibrary> {};

TEST_P(BadLibraryTest, IsReportedAndSkipped) {
  // Only the library that hangs needs the time.
  if (std::string_view(GetParam().library) == "hang_in_load") options_.settings.plugins.start_ms = 8'000;
  put_library("moody", "moody");
  put_library(GetParam().library, GetParam().tool);
  const std::string folder = concat(GetParam().library, "/");
  const std::string what = problem();
  EXPECT_TRUE(what.starts_with(concat(folder, "plugin.toml: ", GetParam().problem))) << what;
  EXPECT_EQ(said(call("moody")), "fine\n");
  EXPECT_NE(call(GetParam().tool).result.error().code, ErrorCode::kExecutionFailed);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadLibraryTest,
    ::testing::Values(
        BadLibrary{"crash_in_load", "bad_tool", "cannot start: The server was killed by signal 6"},
        BadLibrary{"hang_in_load", "bad_tool", "cannot start: "},
        BadLibrary{"no_symbol", "bad_tool",
                   "no_symbol/no_symbol.so is not a plugin: it does not export helve_plugin_open."},
        BadLibrary{"refuses", "bad_tool",
                   "refuses/refuses.so does not work with this Helve, whose plugin ABI is 1."},
        BadLibrary{"wrong_abi", "bad_tool",
                   "wrong_abi/wrong_abi.so was made for the plugin ABI 7; this Helve has 1."},
        BadLibrary{"no_json", "bad_tool", "no_json/no_json.so returned a description that is not JSON: "},
        BadLibrary{"no_object", "bad_tool",
                   "no_object/no_object.so returned a description that is not a JSON object."},
        BadLibrary{"no_schema", "x",
                   "no_schema/no_schema.so describes the tool x with an inputSchema that is not"},
        BadLibrary{"clash", "read", "There is already a tool with the name read."},
        BadLibrary{"lies", "bad_tool", "the manifest names bad_tool, which the plugin does not provide."}),
    [](const auto& instance) { return std::string(instance.param.library); });

TEST_F(LibraryPluginTest, ReportsAFileThatIsNotALibrary) {
  put_library("moody", "moody");
  directory_.write("plugins/moody/moody.so", "not a library");
  EXPECT_THAT(problem(), ::testing::HasSubstr("moody.so cannot be loaded: "));
}

TEST_F(LibraryPluginTest, RunsManyCallsAtOnce) {
  put_library("moody", "moody_echo");
  ASSERT_TRUE(refresh().empty());
  std::vector<Call> calls;
  for (int i = 0; i < 64; ++i) calls.push_back({.tool = "moody_echo", .arguments = JsonObject{{"value", i}}});
  const auto answers = runtime().call_many(std::move(calls));
  for (int i = 0; i < 64; ++i) EXPECT_EQ(said(answers[static_cast<std::size_t>(i)]), std::to_string(i));
}

TEST_F(LibraryPluginTest, ReloadsANewBuild) {
  put_library("moody", "moody");
  ASSERT_TRUE(refresh().empty());
  put_library("moody", "moody moody_echo");
  ASSERT_TRUE(refresh().empty());
  EXPECT_TRUE(call("moody_echo", {{"value", 1}}).ok());
  std::filesystem::remove_all(directory_.at("plugins/moody"));
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(call("moody").result.error().code, ErrorCode::kUnknownTool);
}

TEST_F(LibraryPluginTest, CachesItsToolsAndStartsOnlyForACall) {
  put_library("moody", "moody");
  ASSERT_TRUE(refresh().empty());
  host_.reset();
  PluginHost::Options options = host_options();
  options.places.launcher = "/nonexistent";  // cannot start anything
  host_ = std::make_unique<PluginHost>(runtime().tools(), options);
  EXPECT_TRUE(host_->refresh().empty());
  EXPECT_TRUE(runtime().tools().find("moody"));
  EXPECT_EQ(call("moody").result.error().code, ErrorCode::kUnavailable);
}

TEST_F(LibraryPluginTest, DoesNotStartForOtherTools) {
  put_library("crash_in_load", "bad_tool");
  PluginHost::Options options = host_options();
  options.only_tool = "read";
  host_ = std::make_unique<PluginHost>(runtime().tools(), options);
  EXPECT_TRUE(host_->refresh().empty());
}

TEST_F(LibraryPluginTest, RunsInThisProcessIfTheSettingsSaySo) {
  options_.settings.plugins.out_of_process = false;
  put_library("moody", "moody moody_echo");
  put_library("wrong_abi", "bad_tool");
  const std::string what = problem();
  EXPECT_TRUE(what.ends_with("was made for the plugin ABI 7; this Helve has 1.")) << what;
  // Nothing enforces its declared effect.
  EXPECT_EQ(runtime().tools().find("moody").value()->definition.effect, Effect::kExecute);
  EXPECT_EQ(said(call("moody", {{"times", 2}})), "fine\nfine\n");
  EXPECT_EQ(call("moody", {{"mood", "throw"}}).result.error().message, "It threw: fine");
  EXPECT_EQ(said(call("moody", {{"dryRun", true}})), "would do it\n");
  std::filesystem::remove_all(directory_.at("plugins/moody"));
  std::filesystem::remove_all(directory_.at("plugins/wrong_abi"));
  EXPECT_TRUE(refresh().empty());
  EXPECT_FALSE(runtime().tools().find("moody"));
}

}  // namespace
}  // namespace helve::plugins
