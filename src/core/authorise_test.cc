// The step between validating and running: rules, the user's answers, hooks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <fstream>

#include "base/strings.h"
#include "core/testing.h"

namespace helve::core {
namespace {

using testing::RuntimeFixture;

// Gives the prepared answers, and keeps the questions.
class Answering final : public Approver {
 public:
  Approval ask(const PermissionRequest& request, const std::stop_token& /*stop*/) override {
    asked.push_back(request);
    return answer;
  }
  Approval answer{true, {}};
  std::vector<PermissionRequest> asked;
};

class AuthoriseTest : public testing::RuntimeFixture {
 protected:
  AuthoriseTest() : testing::RuntimeFixture(/*built_in_tools=*/true) {
    options_.settings.mode = Mode::kAsk;
    options_.approver = person_;
  }
  Answer exec(const std::string& command) {
    return runtime().call({.tool = "exec", .arguments = JsonObject{{"command", command}}});
  }
  Json explain(const std::string& command) {
    return runtime().explain({.tool = "exec", .arguments = JsonObject{{"command", command}}}).value();
  }
  // A program of the user, outside of the workspace.
  std::string program(const std::string& name, const std::string& text) {
    const std::string path = directory_.at(name);
    std::ofstream(path) << "#!/bin/sh\n" << text;
    ::chmod(path.c_str(), 0755);
    return path;
  }
  std::string written(const std::string& name) {
    std::ifstream file(directory_.at(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::shared_ptr<Answering> person_ = std::make_shared<Answering>();
};

TEST_F(AuthoriseTest, AYesForOnceIsGoodForOneCall) {
  EXPECT_TRUE(exec("echo a").ok());
  EXPECT_TRUE(exec("echo a").ok());
  EXPECT_EQ(person_->asked.size(), 2U);
}

TEST_F(AuthoriseTest, TheQuestionAboutAHardLinkIsAnEventAndGoesThroughHooks) {
  options_.settings.mode = Mode::kAcceptEdits;
  options_.settings.hooks.before.push_back(
      {.match = "edit", .command = program("hook", concat("cat >>", directory_.at("hook_input"), "\n"))});
  std::ofstream(directory_.at("workspace/a.txt")) << "old\n";
  std::filesystem::create_hard_link(directory_.at("workspace/a.txt"), directory_.at("workspace/b.txt"));
  const Answer answer = runtime().call(
      {.tool = "edit", .arguments = JsonObject{{"path", "a.txt"}, {"oldText", "old"}, {"newText", "new"}}});
  ASSERT_TRUE(answer.ok()) << answer.result.error().message;
  ASSERT_EQ(person_->asked.size(), 1U);
  EXPECT_TRUE(person_->asked[0].reason.contains("hard links")) << person_->asked[0].reason;
  std::vector<std::string> kinds;
  for (const auto& event : runtime().default_session().events().after(0).events)
    if (const Json json = event->to_json(); json.find("tool_call") != nullptr)
      kinds.push_back(json.find("tool_call")->as_string());
  EXPECT_EQ(kinds, (std::vector<std::string>{"start", "running", "permission-required", "permission-granted",
                                             "end"}));
  EXPECT_TRUE(written("hook_input").contains("hardLinked"));
  EXPECT_EQ(written("workspace/b.txt"), "new\n");
}

TEST_F(AuthoriseTest, AYesForTheSessionIsBoundToTheCommandAndItsDirectory) {
  person_->answer.scope = ApprovalScope::kSession;
  EXPECT_TRUE(exec("echo a").ok());
  EXPECT_TRUE(exec("echo a").ok());
  EXPECT_EQ(person_->asked.size(), 1U);
  EXPECT_TRUE(exec("echo b").ok());
  EXPECT_EQ(person_->asked.size(), 2U);
  std::filesystem::create_directory(directory_.at("workspace/sub"));
  EXPECT_TRUE(
      runtime().call({.tool = "exec", .arguments = JsonObject{{"command", "echo a"}, {"cwd", "sub"}}}).ok());
  EXPECT_EQ(person_->asked.size(), 3U);
}

TEST_F(AuthoriseTest, AYesForTheSessionToInputCoversTheConversation) {
  const Answer started = runtime().call(
      {.tool = "exec", .arguments = JsonObject{{"command", "cat"}, {"background", true}, {"tty", true}}});
  ASSERT_TRUE(started.ok()) << started.result.error().message;
  const Json id = *started.result->data.find("sessionId");
  const auto type = [&](std::string_view text) {
    return runtime()
        .call({.tool = "process",
               .arguments = JsonObject{{"action", "write"}, {"sessionId", id}, {"data", text}}})
        .ok();
  };
  person_->asked.clear();
  person_->answer.scope = ApprovalScope::kSession;
  EXPECT_TRUE(type("one\n"));
  ASSERT_EQ(person_->asked.size(), 1U);
  EXPECT_EQ(person_->asked[0].session_covers, "any input for this command");
  EXPECT_TRUE(type("two\n"));
  EXPECT_EQ(person_->asked.size(), 1U);
}

// "git pu" and then "sh" is a git push that no rule recognises; the user does.
TEST_F(AuthoriseTest, WhereARuleRestrictsCommandsEachInputIsAskedAbout) {
  options_.settings.permissions.ask = {"exec(git push:*)"};
  const Answer started = runtime().call(
      {.tool = "exec", .arguments = JsonObject{{"command", "cat"}, {"background", true}, {"tty", true}}});
  ASSERT_TRUE(started.ok()) << started.result.error().message;
  person_->asked.clear();
  person_->answer.scope = ApprovalScope::kSession;
  for (const std::string_view text : {"git pu", "sh\n"})
    EXPECT_TRUE(runtime()
                    .call({.tool = "process",
                           .arguments = JsonObject{{"action", "write"},
                                                   {"sessionId", *started.result->data.find("sessionId")},
                                                   {"data", text}}})
                    .ok());
  ASSERT_EQ(person_->asked.size(), 2U);
  EXPECT_EQ(person_->asked[0].session_covers, "this call again, with the same arguments");
}

TEST_F(AuthoriseTest, AnotherModeHoldsFromTheNextCallOn) {
  Session& session = runtime().default_session();
  EXPECT_TRUE(exec("touch a").ok());
  EXPECT_EQ(person_->asked.size(), 1U);
  EXPECT_EQ(person_->asked[0].workspace, runtime().workspace());
  session.use_mode(Mode::kFull);
  EXPECT_TRUE(exec("touch b").ok());
  EXPECT_EQ(person_->asked.size(), 1U);
  session.use_mode(Mode::kPlan);
  EXPECT_FALSE(exec("touch c").ok());
  EXPECT_EQ(person_->asked.size(), 1U);
}

TEST_F(AuthoriseTest, ReportsWhyNobodyCouldBeAsked) {
  person_->answer = {.reason = "the terminal could not be used", .asked = false};
  const Answer answer = exec("touch a");
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.result.error().message,
            "exec was not allowed: no rule allows touch a, and the terminal could not be used.");
}

TEST_F(AuthoriseTest, AChangedProgramIsAskedAboutAgain) {
  person_->answer.scope = ApprovalScope::kSession;
  program("workspace/tool.sh", "echo one\n");
  EXPECT_TRUE(exec("./tool.sh").ok());
  EXPECT_TRUE(exec("./tool.sh").ok());
  EXPECT_EQ(person_->asked.size(), 1U);
  program("workspace/tool.sh", "echo another one\n");
  EXPECT_TRUE(exec("./tool.sh").ok());
  EXPECT_EQ(person_->asked.size(), 2U);
}

TEST_F(AuthoriseTest, AlwaysWritesTheRulesThatWereShown) {
  std::vector<std::string> kept;
  options_.keep_rules = [&](const std::vector<std::string>& rules) -> Expected<void> {
    kept = rules;
    return {};
  };
  person_->answer.scope = ApprovalScope::kAlways;
  EXPECT_TRUE(exec("git status --short").ok());
  ASSERT_EQ(person_->asked.size(), 1U);
  EXPECT_EQ(kept, (std::vector<std::string>{"exec(git status:*)"}));
  EXPECT_EQ(person_->asked[0].rules, kept);
  EXPECT_TRUE(exec("git status").ok());
  EXPECT_EQ(person_->asked.size(), 1U);
}

TEST_F(AuthoriseTest, ADenyRuleIsNotAskedAbout) {
  options_.settings.permissions.deny = {"exec(git push:*)"};
  const Answer answer = exec("true && \\git -C . push");
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.result.error().message, ::testing::HasSubstr("exec(git push:*)"));
  EXPECT_TRUE(person_->asked.empty());
}

TEST_F(AuthoriseTest, TheReasonGoesToThePersonAndTheEvent) {
  exec("ls $x");
  ASSERT_EQ(person_->asked.size(), 1U);
  EXPECT_FALSE(person_->asked[0].reason.empty());
}

TEST_F(AuthoriseTest, ABadRuleStopsTheStartAndSaysWhere) {
  options_.settings.permissions.allow = {"exec(git diff"};
  const auto created = Runtime::create(options_);
  ASSERT_FALSE(created);
  EXPECT_THAT(created.error().message, ::testing::HasSubstr("exec(git diff"));
}

TEST_F(AuthoriseTest, AnExampleThatItsRuleDoesNotFitStopsTheStart) {
  options_.settings.permissions.allow = {"exec(git diff:*)"};
  options_.settings.permissions.examples = {{"exec(git diff:*)", {"git difftool"}}};
  const auto created = Runtime::create(options_);
  ASSERT_FALSE(created);
  EXPECT_THAT(created.error().message, ::testing::HasSubstr("git difftool"));
}

TEST_F(AuthoriseTest, ExplainSaysWhatWouldHappenAndAsksNobody) {
  options_.settings.permissions.allow = {"exec(ls:*)"};
  EXPECT_EQ(explain("ls -la")["verdict"], Json("allow"));
  EXPECT_EQ(explain("ls; touch x")["verdict"], Json("ask"));
  EXPECT_TRUE(person_->asked.empty());
  EXPECT_FALSE(std::filesystem::exists(directory_.at("workspace/x")));
  const auto wrong = runtime().explain({.tool = "exec", .arguments = JsonObject{{"cmd", "ls"}}});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(AuthoriseTest, ExplainKnowsWhatNoRuleCanAllow) {
  options_.settings.permissions.allow = {"read", "edit"};
  const auto explained = [&](const std::string& tool, JsonObject arguments) {
    return runtime().explain({.tool = tool, .arguments = std::move(arguments)}).value();
  };
  EXPECT_EQ(explained("read", {{"path", "new.txt"}})["verdict"], Json("allow"));
  EXPECT_EQ(explained("write", {{"path", "new.txt"}, {"content", "x"}})["verdict"], Json("allow"));
  for (const std::string path : {"/etc/passwd", "../x", ".git/config"}) {
    const Json denied = explained("write", {{"path", path}, {"content", "x"}});
    EXPECT_EQ(*denied.find("verdict"), Json("deny")) << path;
    EXPECT_THAT(denied.find("reason")->as_string(), ::testing::HasSubstr(path)) << to_text(denied);
  }
  EXPECT_EQ(explained("read", {{"path", "/etc/passwd"}})["verdict"], Json("deny"));
}

TEST_F(AuthoriseTest, ClaudeCodesRulesCountWhenTheUserSaysSo) {
  std::filesystem::create_directory(directory_.at("workspace/.claude"));
  std::ofstream(directory_.at("workspace/.claude/settings.json"))
      << R"json({"permissions": {"allow": ["Bash(echo:*)"], "deny": ["Bash(rm:*)"]}})json";
  person_->answer.granted = false;
  EXPECT_FALSE(exec("echo a").ok());
  restart();
  options_.settings.permissions.claude_settings = true;
  EXPECT_FALSE(exec("echo a").ok()) << "nothing of a project allows anything before the user reviewed it";
  restart();
  options_.project_trusted = true;
  EXPECT_TRUE(exec("echo a").ok());
  EXPECT_FALSE(exec("rm x").ok());
}

TEST_F(AuthoriseTest, AHookThatExitsWithTwoBlocksWithItsWords) {
  options_.settings.mode = Mode::kFull;
  options_.settings.hooks.before = {
      {.match = "exec",
       .command =
           program("hook", "cat > " + directory_.at("seen") + "\necho 'not on Sundays' >&2\nexit 2\n")}};
  const Answer answer = exec("touch made");
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.result.error().message, ::testing::HasSubstr("not on Sundays"));
  EXPECT_FALSE(std::filesystem::exists(directory_.at("workspace/made")));
  EXPECT_THAT(written("seen"), ::testing::HasSubstr("\"command\":\"touch made\""));
  EXPECT_TRUE(runtime().call({.tool = "ls", .arguments = JsonObject{{"path", "."}}}).ok())
      << "is for exec only";
}

TEST_F(AuthoriseTest, AHookCanAnswerInThePersonsPlaceButNotBeatADenyRule) {
  options_.settings.permissions.deny = {"exec(rm:*)"};
  options_.settings.hooks.before = {{.match = "*", .command = "echo '{\"decision\": \"allow\"}'"}};
  EXPECT_TRUE(exec("echo a").ok());
  EXPECT_TRUE(person_->asked.empty());
  EXPECT_FALSE(exec("rm a").ok());
}

TEST_F(AuthoriseTest, AFailingHookLetsTheCallGoOnUnlessItMustNot) {
  options_.settings.mode = Mode::kFull;
  options_.settings.hooks.before = {{.match = "exec", .command = "exit 1"}};
  EXPECT_TRUE(exec("true").ok());
  restart();
  options_.settings.hooks.fail_closed = true;
  EXPECT_FALSE(exec("true").ok());
}

TEST_F(AuthoriseTest, AHookThatHangsIsEnded) {
  options_.settings.mode = Mode::kFull;
  options_.settings.hooks.fail_closed = true;
  options_.settings.hooks.before = {{.match = "exec", .command = "sleep 600", .time_limit_ms = 100}};
  const Answer answer = exec("true");
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.result.error().message, ::testing::HasSubstr("100 ms"));
}

TEST_F(AuthoriseTest, AHookAfterTheCallSeesTheResultAndCanAddToIt) {
  options_.settings.mode = Mode::kFull;
  options_.settings.hooks.after = {
      {.match = "exec",
       .command =
           program("hook", "cat > " + directory_.at("seen") + "\necho 'remember to format' >&2\nexit 2\n")}};
  const Answer answer = exec("echo made");
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.result->content, "made\nA hook says: remember to format\n");
  EXPECT_THAT(written("seen"), ::testing::HasSubstr("\"ok\":true"));
}

TEST_F(AuthoriseTest, NobodyWritesHelvesOwnFilesInAnyMode) {
  options_.settings.mode = Mode::kFull;
  options_.settings.permissions.allow = {"write"};
  const Answer answer = runtime().call(
      {.tool = "write",
       .arguments = JsonObject{{"path", ".helve/config.toml"}, {"content", "mode = \"full\""}}});
  EXPECT_FALSE(answer.ok());
  EXPECT_FALSE(std::filesystem::exists(directory_.at("workspace/.helve")));
}

}  // namespace
}  // namespace helve::core
