// Plugins that are libraries, good and bad, in processes of their own and in this one.
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
  // The one problem that there is, without the folder.
  std::string problem() {
    const auto problems = refresh();
    EXPECT_EQ(problems.size(), 1U);
    if (problems.empty()) return {};
    return replace_all(problems.front().error.message, directory_.at("plugins/"), "");
  }
};

TEST_F(LibraryPluginTest, ItsToolsAreLikeAllOthers) {
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
  EXPECT_NE(wrong.message.find("txt is not a known parameter; did you mean text?"), std::string::npos);
  EXPECT_NE(wrong.message.find("times"), std::string::npos);
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

TEST_F(LibraryPluginTest, OnlyWhatTheManifestNamesIsThere) {
  put_library("moody", "moody_echo");
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(call("moody").result.error().code, ErrorCode::kUnknownTool);
  EXPECT_TRUE(call("moody_echo", {{"value", 1}}).ok());
}

TEST_F(LibraryPluginTest, AMisspelledToolIsToldWithThoseThatAreThere) {
  put_library("moody", "mody moody_echo");
  EXPECT_EQ(problem(), "moody/plugin.toml: the manifest names mody, which it does not offer.");
  EXPECT_EQ(host_->refresh().front().error.hint,
            "It also offers moody; name the tools in the manifest as the plugin does.");
}

TEST_F(LibraryPluginTest, ACrashIsContainedAndTheNextCallFindsAFreshProcess) {
  put_library("moody", "moody moody_echo");
  ASSERT_TRUE(refresh().empty());
  const Error lost = call("moody", {{"mood", "crash"}}).result.error();
  EXPECT_EQ(lost.code, ErrorCode::kOutcomeUnknown);
  EXPECT_NE(lost.message.find(
                "The plugin moody was lost in the middle of the call: The server was ended by signal 6"),
            std::string::npos)
      << lost.message;
  EXPECT_EQ(said(call("moody")), "fine\n");
  EXPECT_TRUE(call("ls", {{"path", "."}}).ok());
}

TEST_F(LibraryPluginTest, AToolThatHangsIsEndedWithItsProcess) {
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

TEST_F(LibraryPluginTest, TheWordToStopReachesTheLibrary) {
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

TEST_F(LibraryPluginTest, WhatItPrintsIsNotTakenForAMessage) {
  put_library("moody", "moody");
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(said(call("moody", {{"mood", "print"}})), "fine\n");
}

TEST_F(LibraryPluginTest, WhoSaysReadCannotWrite) {
  put_library("moody", "moody");
  ASSERT_TRUE(refresh().empty());
  const Answer answer = call("moody", {{"mood", "write"}, {"text", directory_.at("workspace/made")}});
  EXPECT_FALSE(answer.ok());
  EXPECT_FALSE(directory_.exists("workspace/made"));
}

// A library with a tool that says that it writes, and what it does about that.
class WritingPluginTest : public LibraryPluginTest {
 protected:
  WritingPluginTest() {
    directory_.make("outside");
    put_library("moody", "moody moody_echo", "write");
  }
  // Whether the tool could make a file there. In a /tmp of its own it may believe that it did.
  bool writes(const std::string& place) {
    const Answer answer = call("moody", {{"mood", "write"}, {"text", directory_.at(place)}});
    EXPECT_TRUE(answer.ok() || !directory_.exists(place)) << place << ": " << said(answer);
    return directory_.exists(place);
  }
};

TEST_F(WritingPluginTest, WritesInTheWorkspaceAndNowhereElse) {
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

TEST_F(WritingPluginTest, WritesNothingWhereCommandsMayNot) {
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

TEST_F(WritingPluginTest, RunsWithoutWallsWhenThePersonSaysSo) {
  options_.settings.plugins.unwalled = {"other", "moody"};
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(runtime().tools().find("moody").value()->definition.effect, Effect::kExecute);
  EXPECT_TRUE(writes("outside/made"));
}

TEST_F(WritingPluginTest, AStarStandsForAllPluginsAndNoOtherNameForThisOne) {
  options_.settings.plugins.unwalled = {"mood", "moody2"};
  ASSERT_TRUE(refresh().empty());
  EXPECT_FALSE(writes("outside/made"));
  host_.reset();
  options_.settings.plugins.unwalled = {"*"};
  ASSERT_TRUE(refresh().empty());
  EXPECT_TRUE(writes("outside/made"));
}

TEST_F(LibraryPluginTest, WithoutWallsAWordThatItOnlyReadsCountsForNothing) {
  options_.settings.plugins.unwalled = {"moody"};
  put_library("moody", "moody");
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(runtime().tools().find("moody").value()->definition.effect, Effect::kExecute);
}

TEST_F(LibraryPluginTest, AGigabyteIsRefused) {
  put_library("flood", "bad_tool");
  ASSERT_TRUE(refresh().empty());
  const Error flood = call("bad_tool").result.error();
  EXPECT_EQ(flood.code, ErrorCode::kExecutionFailed);
  EXPECT_NE(flood.message.find("gave a result of 1,073,741,824 bytes; 16,777,216 are the most."),
            std::string::npos)
      << flood.message;
}

TEST_F(LibraryPluginTest, AResultThatIsNoJsonIsAFaultOfThePlugin) {
  put_library("no_result", "bad_tool");
  ASSERT_TRUE(refresh().empty());
  const Error error = call("bad_tool").result.error();
  EXPECT_NE(error.message.find("gave a result that is no JSON: "), std::string::npos) << error.message;
  EXPECT_NE(error.hint.find("This is a fault in the plugin"), std::string::npos);
}

struct BadLibrary {
  const char* library;
  const char* tool;
  const char* problem;  // how it begins
};

class BadLibraryTest : public LibraryPluginTest, public ::testing::WithParamInterface<BadLibrary> {};

TEST_P(BadLibraryTest, IsReportedAndLeftOutAndTheRestGoesOn) {
  // Only the one that hangs has to be waited for.
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
        BadLibrary{"crash_in_load", "bad_tool", "it could not be started: The server was ended by signal 6"},
        BadLibrary{"hang_in_load", "bad_tool", "it could not be started: "},
        BadLibrary{"no_symbol", "bad_tool",
                   "no_symbol/no_symbol.so is no plugin: it does not export helve_plugin_open."},
        BadLibrary{"refuses", "bad_tool",
                   "refuses/refuses.so does not work with this Helve, whose plugin ABI is 1."},
        BadLibrary{"wrong_abi", "bad_tool",
                   "wrong_abi/wrong_abi.so was made for the plugin ABI 7; this Helve has 1."},
        BadLibrary{"no_json", "bad_tool", "no_json/no_json.so gave a description that is no JSON: "},
        BadLibrary{"no_object", "bad_tool",
                   "no_object/no_object.so gave a description that is no JSON object."},
        BadLibrary{"no_schema", "x",
                   "no_schema/no_schema.so describes the tool x with an inputSchema that is not"},
        BadLibrary{"clash", "read", "There is already a tool with the name read."},
        BadLibrary{"lies", "bad_tool", "the manifest names bad_tool, which it does not offer."}),
    [](const auto& instance) { return std::string(instance.param.library); });

TEST_F(LibraryPluginTest, AFileThatIsNoLibraryIsToldByTheLoader) {
  put_library("moody", "moody");
  directory_.write("plugins/moody/moody.so", "not a library");
  EXPECT_NE(problem().find("moody.so cannot be loaded: "), std::string::npos);
}

TEST_F(LibraryPluginTest, ManyCallsAtOnce) {
  put_library("moody", "moody_echo");
  ASSERT_TRUE(refresh().empty());
  std::vector<Call> calls;
  for (int i = 0; i < 64; ++i) calls.push_back({.tool = "moody_echo", .arguments = JsonObject{{"value", i}}});
  const auto answers = runtime().call_many(std::move(calls));
  for (int i = 0; i < 64; ++i) EXPECT_EQ(said(answers[static_cast<std::size_t>(i)]), std::to_string(i));
}

TEST_F(LibraryPluginTest, ANewBuildTakesThePlaceOfTheOld) {
  put_library("moody", "moody");
  ASSERT_TRUE(refresh().empty());
  put_library("moody", "moody moody_echo");
  ASSERT_TRUE(refresh().empty());
  EXPECT_TRUE(call("moody_echo", {{"value", 1}}).ok());
  std::filesystem::remove_all(directory_.at("plugins/moody"));
  ASSERT_TRUE(refresh().empty());
  EXPECT_EQ(call("moody").result.error().code, ErrorCode::kUnknownTool);
}

TEST_F(LibraryPluginTest, WhatItOfferedIsRememberedSoThatNothingStartsBeforeACall) {
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

TEST_F(LibraryPluginTest, NothingIsStartedForTheSakeOfOtherTools) {
  put_library("crash_in_load", "bad_tool");
  PluginHost::Options options = host_options();
  options.only_tool = "read";
  host_ = std::make_unique<PluginHost>(runtime().tools(), options);
  EXPECT_TRUE(host_->refresh().empty());
}

TEST_F(LibraryPluginTest, RunsInThisProcessWhenTheSettingsSaySo) {
  options_.settings.plugins.out_of_process = false;
  put_library("moody", "moody moody_echo");
  put_library("wrong_abi", "bad_tool");
  const std::string what = problem();
  EXPECT_TRUE(what.ends_with("was made for the plugin ABI 7; this Helve has 1.")) << what;
  // Nothing holds it to what it says.
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
