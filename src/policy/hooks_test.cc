#include "policy/hooks.h"

#include <gtest/gtest.h>

namespace helve::policy {
namespace {

using Kind = HookOutcome::Kind;

Hook hook(std::string_view matcher = "*", Hook::OnFailure on_failure = Hook::OnFailure::kGoOn) {
  return {.command = "check", .matcher = *HookMatcher::parse(matcher), .on_failure = on_failure};
}

TEST(Hooks, MatchToolsByNamePatternAndClaudeName) {
  const auto matches = [](std::string_view matcher, std::string_view tool) {
    return HookMatcher::parse(matcher)->matches(tool);
  };
  EXPECT_TRUE(matches("exec|write", "write"));
  EXPECT_FALSE(matches("exec|write", "read"));
  EXPECT_FALSE(matches("exec", "exec2"));
  EXPECT_TRUE(matches("", "anything"));
  EXPECT_TRUE(matches("*", "anything"));
  EXPECT_TRUE(matches("Bash | Read", "exec"));
  EXPECT_TRUE(matches("Edit", "apply_patch"));
  EXPECT_FALSE(matches("edit", "apply_patch"));
  EXPECT_TRUE(matches("mcp__git__*", "mcp__git__push"));
  EXPECT_FALSE(matches("mcp__git__*", "mcp__hub__push"));
  EXPECT_FALSE(HookMatcher::parse("exec||write"));
}

TEST(Hooks, ReceiveTheCallAsJson) {
  const PermissionRequest call{
      .tool = "exec", .effect = Effect::kExecute, .arguments = JsonObject{{"command", "ls"}}};
  const HookSubject subject{.session_id = "s", .call_id = "c", .workspace = "/w", .explanation = "why"};
  EXPECT_EQ(
      to_text(hook_input(Hook::Moment::kBefore, call, subject)),
      R"({"event":"before","sessionId":"s","callId":"c","workspace":"/w","tool":"exec","effect":"execute",)"
      R"("arguments":{"command":"ls"},"explanation":"why"})");
  HookSubject after = subject;
  after.result = JsonObject{{"ok", true}};
  const Json input = hook_input(Hook::Moment::kAfter, call, after);
  EXPECT_EQ(input.find("event")->as_string(), "after");
  EXPECT_TRUE(input.find("ok")->as_bool());
}

TEST(Hooks, ExitCodesDecide) {
  EXPECT_EQ(read_outcome(hook(), {.exit_code = 0, .output = "OK"}).kind, Kind::kGoOn);
  const HookOutcome blocked = read_outcome(hook(), {.exit_code = 2, .errors = "  not on Fridays\n"});
  EXPECT_EQ(blocked.kind, Kind::kBlock);
  EXPECT_EQ(blocked.reason, "not on Fridays");
  EXPECT_EQ(read_outcome(hook(), {.exit_code = 2}).reason, "a hook blocked it without a reason");
}

TEST(Hooks, FailureContinuesOrBlocksAsConfigured) {
  for (const HookRun& run :
       {HookRun{.exit_code = 1, .errors = "oops"}, HookRun{.exit_code = 139}, HookRun{.exit_code = 127},
        HookRun{.problem = "timed out"}, HookRun{.output = "{\"decision\": 3}"}, HookRun{.output = "{broken"},
        HookRun{.output = "{\"decision\": \"perhaps\"}"}}) {
    const HookOutcome open = read_outcome(hook(), run);
    EXPECT_EQ(open.kind, Kind::kGoOn);
    EXPECT_NE(open.warning, "");
    const HookOutcome closed = read_outcome(hook("*", Hook::OnFailure::kBlock), run);
    EXPECT_EQ(closed.kind, Kind::kBlock);
    EXPECT_NE(closed.reason, "");
  }
  EXPECT_EQ(read_outcome(hook(), {.exit_code = 1, .errors = "oops"}).warning,
            "The hook check failed: exit code 1: oops");
  Hook after = hook("*", Hook::OnFailure::kBlock);
  after.moment = Hook::Moment::kAfter;
  EXPECT_EQ(read_outcome(after, {.exit_code = 1}).kind, Kind::kGoOn);
}

TEST(Hooks, AnswersDecide) {
  const auto kind = [](std::string_view output) {
    return read_outcome(hook(), {.output = std::string(output)}).kind;
  };
  EXPECT_EQ(kind(R"({"decision": "allow"})"), Kind::kAllow);
  EXPECT_EQ(kind(R"({"decision": "ask"})"), Kind::kAsk);
  EXPECT_EQ(kind(R"({"decision": "deny", "reason": "no"})"), Kind::kBlock);
  EXPECT_EQ(kind(R"({"decision": "block"})"), Kind::kBlock);
  EXPECT_EQ(kind("{}"), Kind::kGoOn);
  EXPECT_EQ(kind(R"({"updatedInput": {}})"), Kind::kGoOn);
  EXPECT_NE(read_outcome(hook(), {.output = R"({"updatedInput": {}})"}).warning, "");
}

TEST(Hooks, RunInOrderUntilOneBlocks) {
  const std::vector<Hook> hooks = {hook("read"), hook("exec"), hook("*"), hook("exec")};
  std::vector<int> codes = {0, 2, 0};
  std::size_t runs = 0;
  const HookRunner runner = [&](const Hook&, const std::string& input) {
    EXPECT_TRUE(input.ends_with("}\n"));
    return HookRun{.exit_code = codes[runs++], .errors = "stop"};
  };
  const HookOutcome outcome =
      run_hooks(hooks, Hook::Moment::kBefore, PermissionRequest{.tool = "exec"}, {}, runner);
  EXPECT_EQ(outcome.kind, Kind::kBlock);
  EXPECT_EQ(outcome.reason, "stop");
  EXPECT_EQ(runs, 2U);
}

TEST(Hooks, StrictestAnswerWins) {
  const std::vector<Hook> hooks = {hook(), hook(), hook()};
  std::vector<std::string> answers = {R"({"decision": "ask", "reason": "odd"})", R"({"decision": "allow"})",
                                      ""};
  std::size_t runs = 0;
  const HookOutcome outcome =
      run_hooks(hooks, Hook::Moment::kBefore, PermissionRequest{.tool = "exec"}, {},
                [&](const Hook&, const std::string&) { return HookRun{.output = answers[runs++]}; });
  EXPECT_EQ(outcome.kind, Kind::kAsk);
  EXPECT_EQ(outcome.reason, "odd");
}

}  // namespace
}  // namespace helve::policy
