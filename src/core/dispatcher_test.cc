#include "core/dispatcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <thread>

#include "base/file_io.h"
#include "core/dispatcher_testing.h"

namespace helve::core {
namespace {

using namespace std::chrono_literals;

TEST_F(DispatcherTest, AnswersWithTheEnvelope) {
  add(tool("hello", Effect::kRead, [](Context&, const Json&) {
    return Output{.summary = "Said hello",
                  .content = "Hello",
                  .data = JsonObject{{"n", 1}},
                  .affected_paths = {"a.txt"}};
  }));
  Json envelope = call("hello").to_json();
  EXPECT_TRUE(envelope.find("meta")->find("executionTimeMs")->is_integer());
  envelope["meta"]["executionTimeMs"] = 4;
  EXPECT_EQ(to_text(envelope),
            R"({"ok":true,"summary":"Said hello","content":"Hello","data":{"n":1},)"
            R"("meta":{"truncated":false,"executionTimeMs":4,"affectedPaths":["a.txt"]},"tool":"hello"})");
}

TEST_F(DispatcherTest, NoToolClaimsToHaveChangedPathsOutsideOfTheWorkspace) {
  add(tool("claims", Effect::kRead, [](Context&, const Json&) {
    return Output{.summary = "Done",
                  .affected_paths = {"/etc/passwd", "../up.txt", "a/b.txt", "x/../../y", ""}};
  }));
  EXPECT_EQ(call("claims").result->affected_paths, std::vector<std::string>{"a/b.txt"});
}

struct CountsFillings {
  static constexpr std::string_view kName = "counts_fillings";
  static constexpr std::string_view kDescription = "For tests.";
  static constexpr Effect kEffect = Effect::kWrite;
  struct Params {
    std::string text;
    void describe(ParamSpec& p) {
      ++described;
      p.required("text", text, "A text.");
    }
  };
  static inline int described = 0;

  std::vector<Resource> resources(const Params& params) const { return {{params.text}}; }
  Effect effect(const Params&) const { return Effect::kWrite; }
  std::optional<std::chrono::milliseconds> time_limit(const Params&) const { return 5s; }
  Result execute(Context&, const Params& params) const { return says(params.text); }
};

TEST_F(DispatcherTest, FillsTheParametersOfACallOnce) {
  add(make_tool<CountsFillings>());
  const int before = CountsFillings::described;
  const Answer answer = call("counts_fillings", {{"text", "once"}});
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  EXPECT_EQ(answer.result->content, "once");
  EXPECT_EQ(CountsFillings::described, before + 1);
}

TEST_F(DispatcherTest, UsesTheToolThatTheCallerResolvedAlsoAfterAReload) {
  add(tool("reloaded", Effect::kRead, [](Context&, const Json&) { return says("old"); }));
  const auto old_tool = runtime().tools().find("reloaded");
  ASSERT_TRUE(old_tool);
  runtime().tools().remove("reloaded");
  add(tool("reloaded", Effect::kRead, [](Context&, const Json&) { return says("new"); }));
  EXPECT_EQ(runtime().call({.tool = "reloaded", .resolved = *old_tool}).result->content, "old");
  EXPECT_EQ(runtime().call({.tool = "reloaded"}).result->content, "new");
}

TEST_F(DispatcherTest, RefusesUnknownToolsAndBadArgumentsBeforeAnythingRuns) {
  std::atomic<int> runs = 0;
  add(tool("read", Effect::kRead, [&](Context&, const Json&) {
    ++runs;
    return says("");
  }));
  const Answer unknown = call("read_file");
  EXPECT_EQ(unknown.result.error().code, ErrorCode::kUnknownTool);
  EXPECT_EQ(unknown.result.error().message, "Unknown Agent tool: read_file");
  EXPECT_EQ(unknown.result.error().hint, "Did you mean read?");
  const Answer invalid = runtime().call({.tool = "read", .arguments = JsonArray()});
  EXPECT_EQ(invalid.result.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(runs, 0);
}

TEST_F(DispatcherTest, AToolThatThrowsIsAnErrorResult) {
  add(tool("throws", Effect::kRead,
           [](Context&, const Json&) -> Result { throw std::runtime_error("out of cheese"); }));
  add(tool("throws_int", Effect::kRead, [](Context&, const Json&) -> Result { throw 7; }, true));
  EXPECT_EQ(call("throws").result.error().message, "throws failed unexpectedly: out of cheese.");
  EXPECT_EQ(call("throws_int").result.error().code, ErrorCode::kExecutionFailed);
}

TEST_F(DispatcherTest, AToolThatHangsIsAnsweredForAndLeftBehind) {
  const auto release = std::make_shared<std::latch>(1);
  const auto ended = std::make_shared<std::latch>(1);
  add(tool("hangs", Effect::kWrite, [=](Context&, const Json&) -> Result {
    release->wait();
    ended->count_down();
    return says("late");
  }));
  add(tool("works", Effect::kWrite, [](Context&, const Json&) { return says("fine"); }));
  const Answer answer = runtime().call({.tool = "hangs", .time_limit = 20ms});
  EXPECT_EQ(answer.result.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(answer.result.error().hint,
            "It may still take effect. Look at what it did before you try again.");
  EXPECT_TRUE(call("works").ok());  // although both claim everything
  restart();                        // does not wait for what was left behind
  release->count_down();
  ended->wait();
}

TEST_F(DispatcherTest, AToolThatHonoursItsStopEndsAtItsDeadline) {
  add(tool(
      "waits", Effect::kRead,
      [](Context& context, const Json&) -> Result {
        while (!context.should_stop()) std::this_thread::sleep_for(1ms);
        return fail(context.stop_error());
      },
      true));
  EXPECT_EQ(runtime().call({.tool = "waits", .time_limit = 10ms}).result.error().code, ErrorCode::kTimeout);
}

TEST_F(DispatcherTest, CancellationReachesTheTool) {
  for (const bool honours_stop : {true, false})
    add(tool(
        honours_stop ? "inline" : "guarded", Effect::kRead,
        [](Context& context, const Json&) -> Result {
          while (!context.should_stop()) std::this_thread::sleep_for(1ms);
          return fail(context.stop_error());
        },
        honours_stop));
  for (const char* name : {"inline", "guarded"}) {
    std::stop_source stop;
    std::jthread canceller([&] {
      std::this_thread::sleep_for(10ms);
      stop.request_stop();
    });
    EXPECT_EQ(runtime().call({.tool = name, .stop = stop.get_token()}).result.error().code,
              ErrorCode::kCancelled)
        << name;
  }
  std::stop_source before;
  before.request_stop();
  EXPECT_EQ(runtime().call({.tool = "inline", .stop = before.get_token()}).result.error().code,
            ErrorCode::kCancelled);
}

TEST_F(DispatcherTest, AToolThatFloodsIsOffloadedWhole) {
  const std::string flood(20'000'000, 'x');  // NOLINT(bugprone-string-constructor)
  add(tool("floods", Effect::kRead, [&](Context&, const Json&) { return says(flood + "\nlast line\n"); }));
  const Answer answer = call("floods");
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(answer.result->truncated);
  EXPECT_LT(answer.result->content.size(), 4000U);
  EXPECT_THAT(answer.result->content, ::testing::HasSubstr("20,000,011 characters"));
  EXPECT_THAT(answer.result->content, ::testing::HasSubstr("last line"));
  const std::string path = answer.result->data.find("offloaded")->find("path")->as_string();
  EXPECT_EQ(read_file(path, 100'000'000).value(), flood + "\nlast line\n");
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(DispatcherTest, InvalidUtf8IsMendedBeforeAnyoneReadsIt) {
  add(tool("binary", Effect::kRead, [](Context&, const Json&) -> Result {
    return Output{.summary = "\xFF", .content = "a\xC3", .data = JsonObject{{"raw", std::string("\xFE")}}};
  }));
  const Answer answer = call("binary");
  EXPECT_EQ(answer.result->content, "a\xEF\xBF\xBD");
  EXPECT_THAT(to_text(answer.to_json()), ::testing::Not(::testing::HasSubstr("\xFE")));
}

TEST_F(DispatcherTest, OnlyReadingIsRetried) {
  std::atomic<int> reads = 0;
  std::atomic<int> writes = 0;
  const auto flaky = [](std::atomic<int>& count) {
    return [&count](Context&, const Json&) -> Result {
      if (++count < 3) return fail({ErrorCode::kUnavailable, "busy", "", {}, true});
      return says("at last");
    };
  };
  add(tool("reads", Effect::kRead, flaky(reads)));
  add(tool("writes", Effect::kWrite, flaky(writes)));
  EXPECT_TRUE(call("reads").ok());
  EXPECT_EQ(reads, 3);
  EXPECT_EQ(call("writes").result.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(writes, 1);
}

TEST_F(DispatcherTest, SettingsSayHowOftenReadingIsTriedAndWhatToTryInstead) {
  options_.settings.guide.retries = 1;
  options_.settings.guide.retry_ms = 1;
  options_.settings.guide.fallbacks = {{"reads", {"other", "missing"}}};
  std::atomic<int> reads = 0;
  add(tool("reads", Effect::kRead, [&](Context&, const Json&) -> Result {
    ++reads;
    return fail({ErrorCode::kUnavailable, "busy", "Wait.", {}, true});
  }));
  add(tool("other", Effect::kRead, [](Context&, const Json&) { return says("fine"); }));
  EXPECT_EQ(call("reads").result.error().hint, "Wait. Try instead: other.");
  EXPECT_EQ(reads, 2);
}

TEST_F(DispatcherTest, PublishesTheStepsOfACall) {
  add(tool("ok", Effect::kRead, [](Context&, const Json&) { return says("fine"); }));
  ASSERT_TRUE(call("ok").ok());
  ASSERT_FALSE(call("nope").ok());
  EXPECT_EQ(event_kinds(), (std::vector<std::string>{"start", "running", "end", "start", "error"}));
}

class Person final : public Approver {
 public:
  explicit Person(Approval answer) : answer_(std::move(answer)) {}
  Approval ask(const PermissionRequest& request, const std::stop_token&) override {
    asked.push_back(request.tool);
    return answer_;
  }
  std::vector<std::string> asked;

 private:
  Approval answer_;
};

TEST_F(DispatcherTest, AsksThePersonAndPassesOnTheRefusal) {
  const auto person = std::make_shared<Person>(Approval{false, "not on Sundays"});
  options_.settings.mode = Mode::kAsk;
  options_.approver = person;
  add(tool("look", Effect::kRead, [](Context&, const Json&) { return says("seen"); }));
  add(tool("change", Effect::kWrite, [](Context&, const Json&) { return says("changed"); }));
  EXPECT_TRUE(call("look").ok());
  const Answer denied = call("change");
  EXPECT_EQ(denied.result.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(denied.result.error().message, "User denied the request. Reason: not on Sundays");
  EXPECT_EQ(person->asked, std::vector<std::string>{"change"});
  EXPECT_EQ(event_kinds(), (std::vector<std::string>{"start", "running", "end", "start",
                                                     "permission-required", "permission-denied", "error"}));
}

TEST_F(DispatcherTest, ChecksAWholeBatchBeforeAnyOfItRuns) {
  const auto person = std::make_shared<Person>(Approval{true, ""});
  options_.settings.mode = Mode::kAsk;
  options_.approver = person;
  add(tool("look", Effect::kRead,
           [&](Context&, const Json&) { return says(std::to_string(person->asked.size())); }));
  add(tool("change", Effect::kWrite, [](Context&, const Json&) { return says("changed"); }));
  const auto answers = runtime().call_many({{.tool = "look"}, {.tool = "change"}, {.tool = "change"}});
  EXPECT_EQ(answers[0].result->content, "2");  // ran only after both questions
}

TEST_F(DispatcherTest, SaysSoWhenThereIsNobodyToAsk) {
  options_.settings.mode = Mode::kAsk;
  add(tool("change", Effect::kWrite, [](Context&, const Json&) { return says("changed"); }));
  EXPECT_EQ(call("change").result.error().message,
            "change was not allowed: mode ask asks before write, and the user cannot be asked.");
  EXPECT_EQ(call("change").result.error().hint,
            "Find another way, or tell the user, who can start helve with --mode accept-edits or --mode full "
            "or add the rule change to the setting permissions.allow.");
}

TEST(Permissions, FollowTheTableOfModes) {
  using Verdict = Decision::Verdict;
  const auto verdicts = [](Mode mode) {
    std::vector<Verdict> found;
    for (const Effect effect :
         {Effect::kRead, Effect::kWrite, Effect::kExecute, Effect::kNetwork, Effect::kAsk})
      found.push_back(ModePermissions(mode).decide({.tool = "t", .effect = effect}).verdict);
    return found;
  };
  const Verdict yes = Verdict::kAllow, ask = Verdict::kAsk, no = Verdict::kDeny;
  EXPECT_EQ(verdicts(Mode::kAsk), (std::vector{yes, ask, ask, ask, yes}));
  EXPECT_EQ(verdicts(Mode::kAcceptEdits), (std::vector{yes, yes, ask, ask, yes}));
  EXPECT_EQ(verdicts(Mode::kPlan), (std::vector{yes, no, no, no, yes}));
  EXPECT_EQ(verdicts(Mode::kAuto), (std::vector{yes, no, no, no, yes}));
  EXPECT_EQ(verdicts(Mode::kFull), (std::vector{yes, yes, yes, yes, yes}));
}

TEST_F(DispatcherTest, ExplanationIsRequiredBySetting) {
  options_.settings.tools.require_explanation = true;
  add(tool("look", Effect::kRead, [](Context&, const Json&) { return says("seen"); }));
  EXPECT_EQ(call("look").result.error().details.find("complaints")->as_array()[0].find("path")->as_string(),
            "explanation");
  EXPECT_TRUE(call("look", {{"explanation", "I want to see."}}).ok());
  const Answer blank = call("look", {{"explanation", " \t\n"}});
  ASSERT_FALSE(blank.ok());
  EXPECT_THAT(blank.result.error().message, ::testing::HasSubstr("explanation is missing"));
  EXPECT_EQ(call("look", {{"explanation", 1}}).result.error().details.find("complaints")->as_array().size(),
            1U);
}

TEST_F(DispatcherTest, ADryRunNeedsOnlyThePermissionToReadAndReachesTheTool) {
  options_.settings.mode = Mode::kPlan;
  const auto change = [](Context& context, const Json&) { return says(context.dry_run() ? "would" : "did"); };
  ToolDefinition tries_out{
      .name = "change", .description = "For tests.", .effect = Effect::kWrite, .dry_runs = true};
  add(make_tool(tries_out, change));
  add(tool("careless", Effect::kWrite, change));
  EXPECT_EQ(call("change", {{"dryRun", true}}).result->content, "would");
  EXPECT_FALSE(call("change").ok());
  // A tool that does not know dry runs would do it for real.
  EXPECT_EQ(call("careless", {{"dryRun", true}}).result.error().code, ErrorCode::kPermissionDenied);
}

TEST_F(DispatcherTest, DestroyingTheRuntimeWaitsForCallsUnderWay) {
  std::latch begun(1);
  std::atomic<bool> ended = false;
  add(tool(
      "slow", Effect::kRead,
      [&](Context&, const Json&) {
        begun.count_down();
        std::this_thread::sleep_for(30ms);
        ended = true;
        return says("done");
      },
      true));
  std::jthread caller([&] { EXPECT_TRUE(runtime_->call({.tool = "slow"}).ok()); });
  begun.wait();
  delete runtime_
      .release();  // the caller still uses the object itself, so not reset(), which nulls the pointer first
  EXPECT_TRUE(ended);
}

struct Careless {
  static constexpr std::string_view kDescription = "For tests.";
  static constexpr Effect kEffect = Effect::kRead;
  struct Params {
    void describe(ParamSpec&) {}
  };
  std::vector<Resource> resources(const Params&) const { throw std::runtime_error("no idea"); }
  Result execute(Context&, const Params&) const { return Output{}; }
};

TEST_F(DispatcherTest, NothingThatAToolThrowsEscapes) {
  add(make_tool<Careless>());
  EXPECT_EQ(call("careless").result.error().message, "careless failed unexpectedly: no idea.");
  for (const Answer& answer : runtime().call_many({{.tool = "careless"}, {.tool = "careless"}}))
    EXPECT_EQ(answer.result.error().code, ErrorCode::kExecutionFailed);
}

TEST_F(DispatcherTest, ProgressBecomesEventsAndReachesTheCaller) {
  add(tool("works", Effect::kRead, [](Context& context, const Json&) {
    for (int i = 1; i <= 1000; ++i)
      context.report({.done = static_cast<double>(i), .total = 1000, .message = "working"});
    return says("done");
  }));
  int heard = 0;
  ASSERT_TRUE(runtime().call({.tool = "works", .on_progress = [&](const Progress&) { ++heard; }}).ok());
  EXPECT_EQ(heard, 1000);
  const auto kinds = event_kinds();
  const auto updates = std::ranges::count(kinds, "update");
  EXPECT_GE(updates, 1);
  EXPECT_LT(updates, 100);
}

TEST_F(DispatcherTest, AnEndlessTimeLimitIsNoTimeout) {
  add(tool("quick", Effect::kRead, [](Context&, const Json&) { return says("done"); }));
  EXPECT_TRUE(runtime().call({.tool = "quick", .time_limit = std::chrono::milliseconds::max()}).ok());
}

class Waverer final : public Approver {
 public:
  explicit Waverer(std::stop_source& stop) : stop_(stop) {}
  Approval ask(const PermissionRequest&, const std::stop_token&) override {
    stop_.request_stop();
    return {false, ""};
  }

 private:
  std::stop_source& stop_;
};

TEST_F(DispatcherTest, ACallThatIsCancelledWhileAskingIsCancelledNotDenied) {
  std::stop_source stop;
  options_.settings.mode = Mode::kAsk;
  options_.approver = std::make_shared<Waverer>(stop);
  add(tool("change", Effect::kWrite, [](Context&, const Json&) { return says("changed"); }));
  EXPECT_EQ(runtime().call({.tool = "change", .stop = stop.get_token()}).result.error().code,
            ErrorCode::kCancelled);
}

TEST_F(DispatcherTest, HostileNamesAndArgumentsAreBounded) {
  add(make_tool<Careless>());
  EXPECT_LT(to_text(call(std::string(1'000'000, 'x')).to_json()).size(), 2000U);
  EXPECT_LT(to_text(call("careless", {{std::string(1'000'000, 'x'), 1}}).to_json()).size(), 2000U);
  JsonObject many;
  for (int i = 0; i < 100'000; ++i) many.append("key" + std::to_string(i), i);
  EXPECT_EQ(call("careless", std::move(many)).result.error().details.find("complaints")->as_array().size(),
            50U);
}

TEST_F(DispatcherTest, ForeignToolsTakeExplanationsToo) {
  options_.settings.tools.require_explanation = true;
  ToolDefinition foreign{.name = "theirs", .description = "From elsewhere."};
  foreign.foreign_schema =
      JsonObject{{"type", "object"}, {"properties", JsonObject()}, {"additionalProperties", false}};
  add(make_tool(foreign, [](Context&, const Json& arguments) { return says(to_text(arguments)); }));
  EXPECT_FALSE(call("theirs").ok());
  EXPECT_FALSE(call("theirs", {{"explanation", "  "}}).ok());
  EXPECT_EQ(call("theirs", {{"explanation", "to see"}}).result->content, "{}");
}

TEST_F(DispatcherTest, ExecutionTimeIsTheToolsOwn) {
  add(tool("works", Effect::kWrite, [](Context&, const Json&) {
    std::this_thread::sleep_for(100ms);
    return says("done");
  }));
  // One after the other: the last one waits for nineteen others, which take two seconds.
  const auto answers = runtime().call_many(std::vector<Call>(20, Call{.tool = "works"}));
  for (const Answer& answer : answers) EXPECT_LT(answer.execution_time_ms, 1500);
}

TEST_F(DispatcherTest, CountsCallsAndOutcomes) {
  add(tool("ok", Effect::kRead, [](Context&, const Json&) { return says("fine"); }));
  ASSERT_TRUE(call("ok").ok());
  ASSERT_FALSE(call("whatever-1").ok());
  const Json metrics = runtime().metrics();
  const Json* const tools = metrics.find("tools");
  EXPECT_EQ(*tools->find("ok")->find("outcomes"), Json(JsonObject{{"ok", 1}}));
  EXPECT_EQ(*tools->find("(unknown)")->find("outcomes"), Json(JsonObject{{"UNKNOWN_TOOL", 1}}));
  EXPECT_EQ(*metrics.find("callsRunning"), Json(0));
  EXPECT_EQ(*metrics.find("commandsRunning"), Json(0));
}

}  // namespace
}  // namespace helve::core
