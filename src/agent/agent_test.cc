#include "agent/agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/testing.h"
#include "base/json_parse.h"

namespace helve::agent {
namespace {

TEST_F(AgentTest, PublishesTheModelsReply) {
  model_.then(say("Hello."));
  EXPECT_EQ(agent().say("Hi").reason, "done");
  EXPECT_EQ(events_text(),
            "init\n"
            "delta Hel\n"
            "delta lo.\n"
            "final Hello.\n"
            "stream:end done");
  EXPECT_EQ(agent().last_text(), "Hello.");
  ASSERT_EQ(model_.requests.size(), 1u);
  EXPECT_EQ(model_.requests[0].system, "You are a test.");
  EXPECT_EQ(model_.last_user_text(), "Hi");
  EXPECT_FALSE(agent().can_continue());
}

TEST_F(AgentTest, RunsCallsAndReturnsTheResults) {
  put("a.txt", "one\ntwo\n");
  model_.then(want({{"c1", "read", JsonObject{{"path", "a.txt"}}}}, "Let me look."));
  model_.then(say("It has two lines."));
  EXPECT_EQ(agent().say("How long is a.txt?").reason, "done");
  EXPECT_EQ(events_text(),
            "init\n"
            "delta Let me\n"
            "delta  look.\n"
            "final Let me look.\n"
            "start c1 read {\"path\":\"a.txt\"}\n"
            "running c1 read {\"path\":\"a.txt\"}\n"
            "end c1 read a.txt: lines 1–2 of 2 (utf-8, LF)\n"
            "init\n"
            "delta It has t\n"
            "delta wo lines.\n"
            "final It has two lines.\n"
            "stream:end done");
  ASSERT_EQ(model_.last_results().size(), 1u);
  EXPECT_EQ(model_.last_results()[0].call_id, "c1");
  EXPECT_THAT(model_.last_results()[0].content, ::testing::HasSubstr("two"));
  EXPECT_FALSE(model_.last_results()[0].is_error);
}

TEST_F(AgentTest, SendsTheModelsRawRepliesBackUnchanged) {
  model::Reply reply = want({{"c1", "ls", JsonObject{{"path", "."}}}});
  reply.raw["reasoning_content"] = "secret thoughts, byte for byte \xE2\x82\xAC";
  reply.raw["n"] = 1.5;
  const Json raw = reply.raw;
  model_.then(std::move(reply));
  model_.then(say("Done."));
  EXPECT_EQ(agent().say("List").reason, "done");
  EXPECT_EQ(std::get<model::ModelTurn>(model_.requests[1].turns[1]).raw, raw);
  // Also after a restart.
  model_.then(say("More."));
  EXPECT_EQ(resumed(agent().id()).say("And?").reason, "done");
  EXPECT_EQ(to_text(std::get<model::ModelTurn>(model_.requests[2].turns[1]).raw), to_text(raw));
}

TEST_F(AgentTest, ReasoningIsAnEventAndNotPartOfTheReply) {
  model_.then([](const auto&, const model::Listener& listener, const auto&) -> Expected<model::Reply> {
    listener.on_reasoning("Hm.");
    return say("Yes.");
  });
  EXPECT_EQ(agent().say("Well?").reason, "done");
  EXPECT_EQ(events_text(),
            "init\n"
            "reasoning Hm.\n"
            "delta Ye\n"
            "delta s.\n"
            "final Yes.\n"
            "stream:end done");
  EXPECT_EQ(agent().last_text(), "Yes.");
}

TEST_F(AgentTest, UserCallsNeedNoApprovalAndShareTheSessionState) {
  model_.then(want({{"c1", "write", JsonObject{{"path", "a.txt"}, {"content", "x\n"}}},
                    {"c2", "exec", JsonObject{{"command", "sleep 60"}, {"background", true}}}}));
  model_.then(say("Done."));
  EXPECT_EQ(agent().say("Go").reason, "done");
  ASSERT_TRUE(exists("a.txt"));
  const std::string events = events_text();
  const auto user = agent().user_session();
  const Answer list = runtime().call(user, {.tool = "process", .arguments = JsonObject{{"action", "list"}}});
  ASSERT_TRUE(list.ok()) << list.result.error().message;
  EXPECT_THAT(list.result->content, ::testing::HasSubstr("sleep 60"));
  const Answer undone = runtime().call(user, {.tool = "undo"});
  EXPECT_TRUE(undone.ok()) << undone.result.error().message;
  EXPECT_FALSE(exists("a.txt"));
  EXPECT_EQ(events_text(), events);  // user calls publish no events
}

TEST_F(AgentTest, AnswersMalformedArgumentsInsteadOfFailing) {
  model_.then(
      want({{"c1", "read", "{\"path\": "}, {"c2", "read", "[1]"}, {"c3", "reed", "{}"}, {"c4", "ls", ""}}));
  model_.then(say("I see."));
  EXPECT_EQ(agent().say("Go").reason, "done");
  const auto results = model_.last_results();
  ASSERT_EQ(results.size(), 4u);
  for (const model::ToolResult& result : results) EXPECT_TRUE(result.is_error) << result.content;
  EXPECT_TRUE(results[0].content.starts_with("INVALID_ARGUMENT: The arguments of read are not valid JSON:"))
      << results[0].content;
  EXPECT_TRUE(results[1].content.starts_with("INVALID_ARGUMENT:")) << results[1].content;
  EXPECT_TRUE(results[2].content.starts_with("UNKNOWN_TOOL: Unknown Agent tool: reed")) << results[2].content;
  EXPECT_THAT(results[3].content, ::testing::HasSubstr("path"));
}

TEST_F(AgentTest, NoCallOfABatchRunsBeforeAllApprovalsAreDecided) {
  options_.settings.mode = Mode::kAsk;
  put("a.txt", "one\n");
  bool ran_early = false;
  auto approver = std::make_shared<ScriptedApprover>([&](const PermissionRequest& request, const auto&) {
    ran_early = ran_early || exists("new1.txt");
    if (request.call_id == "c3") return Approval{.granted = false, .reason = "not that one"};
    return Approval{.granted = true};
  });
  approver_ = approver;
  model_.then(want({{"c1", "write", JsonObject{{"path", "new1.txt"}, {"content", "1"}}},
                    {"c2", "read", JsonObject{{"path", "a.txt"}}},
                    {"c3", "write", JsonObject{{"path", "new3.txt"}, {"content", "3"}}}}));
  model_.then(say("Understood."));
  EXPECT_EQ(agent().say("Go").reason, "done");
  EXPECT_FALSE(ran_early);
  // Each approval covers one call, so both were asked about.
  EXPECT_EQ(approver->asked, (std::vector<std::string>{"c1", "c3"}));
  const auto results = model_.last_results();
  EXPECT_FALSE(results[0].is_error);
  EXPECT_FALSE(results[1].is_error);
  EXPECT_TRUE(
      results[2].content.starts_with("PERMISSION_DENIED: User denied the request. Reason: not that one"))
      << results[2].content;
  EXPECT_FALSE(exists("new3.txt"));
  std::vector<std::string> lines = event_lines();
  const auto line = [&](std::string_view text) {
    return std::ranges::find_if(lines, [&](const std::string& l) { return l.starts_with(text); }) -
           lines.begin();
  };
  EXPECT_LT(line("permission-required c3"), line("running c1"));
  EXPECT_LT(line("permission-denied c3"), line("running c1"));
  EXPECT_LT(line("permission-denied c3"), line("running c2"));
}

TEST_F(AgentTest, ApprovalToFormatAFileDoesNotCoverRunningProjectCode) {
  options_.settings.mode = Mode::kAsk;
  put("node_modules/.bin/prettier", "#!/bin/sh\ncat\necho\n");
  std::filesystem::permissions(path("node_modules/.bin/prettier"), std::filesystem::perms::owner_all);
  put("a.css", "a{}\n");
  std::vector<std::string> asked;
  approver_ = std::make_shared<ScriptedApprover>([&](const PermissionRequest& request, const auto&) {
    asked.push_back(request.tool);
    return Approval{.granted = request.tool == "format_code"};
  });
  model_.then(want({{"c1", "format_code", JsonObject{{"path", "a.css"}}}}));
  model_.then(say("Understood."));
  EXPECT_EQ(agent().say("Format it").reason, "done");
  EXPECT_EQ(asked, (std::vector<std::string>{"format_code", "exec"}));
  EXPECT_EQ(get("a.css"), "a{}\n");
}

TEST_F(AgentTest, WithoutAnApproverCallsThatNeedApprovalAreDenied) {
  options_.settings.mode = Mode::kAsk;
  model_.then(want({{"c1", "write", JsonObject{{"path", "x"}, {"content", "1"}}},
                    {"c2", "ask_user", JsonObject{{"question", "Which?"}}}}));
  model_.then(say("Then not."));
  EXPECT_EQ(agent().say("Go").reason, "done");
  const auto results = model_.last_results();
  EXPECT_TRUE(results[0].content.starts_with("PERMISSION_DENIED:")) << results[0].content;
  EXPECT_THAT(results[0].content, ::testing::HasSubstr("the user cannot be asked"));
  EXPECT_TRUE(results[1].content.starts_with("UNAVAILABLE: The user cannot be asked")) << results[1].content;
  EXPECT_THAT(events_text(), ::testing::Not(::testing::HasSubstr("permission-required")));
  EXPECT_FALSE(exists("x"));
}

TEST_F(AgentTest, PublishesQuestionsAsEventsAndReturnsAnswersAsResults) {
  asker_ = std::make_shared<ScriptedAsker>([](const Question&, const auto&) {
    return helve::Reply{.kind = helve::Reply::Kind::kAnswered, .values = {"blue"}};
  });
  model_.then(want({{"c1", "ask_user",
                     JsonObject{{"question", "Which colour?"}, {"options", JsonArray{"red", "blue"}}}}}));
  model_.then(say("Blue it is."));
  EXPECT_EQ(agent().say("Paint").reason, "done");
  EXPECT_EQ(model_.last_results()[0].content, "blue");
  bool seen = false;
  for (const auto& event : agent().session().events().after(0).events) {
    const Json json = event->to_json();
    if (json.find("question_request") == nullptr) continue;
    seen = true;
    EXPECT_EQ(to_text(*json.find("question_request")),
              R"({"question":"Which colour?","choices":["red","blue"],"labels":["red","blue"]})");
  }
  EXPECT_TRUE(seen);
}

TEST_F(AgentTest, ReplacesDuplicateCallIds) {
  model_.then(
      want({{"0", "ls", JsonObject{{"path", "."}}}, {"0", "ls", JsonObject{{"path", "."}, {"depth", 2}}}}));
  model_.then(want({{"0", "ls", JsonObject{{"path", "."}, {"depth", 3}}}}));
  model_.then(say("Done."));
  EXPECT_EQ(agent().say("Go").reason, "done");
  // The model still sees its own ids.
  EXPECT_EQ(model_.last_results()[0].call_id, "0");
  std::set<std::string> ids;
  for (const Transcript::Item& item : agent().transcript().items())
    if (const auto* round = std::get_if<Round>(&item))
      for (const CallState& call : round->calls) ids.insert(call.planned.id);
  EXPECT_EQ(ids.size(), 3u);
}

TEST_F(AgentTest, AFailingModelEndsTheTurnAndTheSessionCanContinue) {
  int tries = 0;
  model_.then([&](const auto&, const auto&, const auto&) -> Expected<model::Reply> {
    if (++tries == 1) return fail(ErrorCode::kUnavailable, "The server is on fire.", "Wait.");
    return say("Back again.");
  });
  const Ending ending = agent().say("Go");
  EXPECT_EQ(ending.reason, "error");
  EXPECT_EQ(events_text(),
            "init\n"
            "error! The server is on fire.\n"
            "stream:end error");
  EXPECT_TRUE(agent().can_continue());
  EXPECT_EQ(agent().continue_turn().reason, "done");
  EXPECT_EQ(agent().last_text(), "Back again.");
}

TEST_F(AgentTest, RetriesABrokenReplyBecauseNoneOfItsCallsRan) {
  int tries = 0;
  model_.then([&](const auto&, const model::Listener& listener, const auto&) -> Expected<model::Reply> {
    if (++tries > 1) return say("Whole.");
    listener.on_text("Hal");
    Error cut{ErrorCode::kUnavailable, "The connection broke off."};
    cut.transient = true;
    return fail(cut);
  });
  EXPECT_EQ(agent().say("Go").reason, "done");
  EXPECT_EQ(events_text(),
            "init\n"
            "delta Hal\n"
            "error! The connection broke off.\n"
            "init\n"
            "delta Who\n"
            "delta le.\n"
            "final Whole.\n"
            "stream:end done");
}

TEST_F(AgentTest, AnInterruptionEndsTheTurnAndKeepsTheSessionUsable) {
  std::stop_source user;
  model_.then([&](const auto&, const auto&, const std::stop_token& stop) -> Expected<model::Reply> {
    user.request_stop();
    EXPECT_TRUE(stop.stop_requested());
    return fail(ErrorCode::kCancelled, "Stopped.");
  });
  EXPECT_EQ(agent().say("Go", user.get_token()).reason, "cancelled");
  EXPECT_TRUE(event_lines().back().starts_with("stream:end cancelled"));
  model_.script[0] = [](const auto&, const auto&, const auto&) { return say("Now."); };
  EXPECT_EQ(agent().say("Go now").reason, "done");
  EXPECT_EQ(agent().last_text(), "Now.");
}

TEST_F(AgentTest, AnInterruptedApprovalIsAskedAgain) {
  options_.settings.mode = Mode::kAsk;
  std::stop_source user;
  approver_ = std::make_shared<ScriptedApprover>([&](const auto&, const auto&) {
    user.request_stop();
    return Approval{.granted = false};
  });
  model_.then(want({{"c1", "write", JsonObject{{"path", "x"}, {"content", "1"}}}}));
  model_.then(say("Written."));
  EXPECT_EQ(agent().say("Go", user.get_token()).reason, "cancelled");
  const std::string id = agent().id();
  auto approver = everything_allowed();
  approver_ = approver;
  EXPECT_TRUE(resumed(id).can_continue());
  EXPECT_EQ(agent().continue_turn().reason, "done");
  EXPECT_EQ(approver->asked, std::vector<std::string>{"c1"});
  EXPECT_EQ(get("x"), "1\n");
}

TEST_F(AgentTest, ANewMessageInsteadOfAnApprovalCancelsTheCall) {
  options_.settings.mode = Mode::kAsk;
  std::stop_source user;
  approver_ = std::make_shared<ScriptedApprover>([&](const auto&, const auto&) {
    user.request_stop();
    return Approval{.granted = false};
  });
  model_.then(want({{"c1", "write", JsonObject{{"path", "x"}, {"content", "1"}}}}));
  model_.then(say("As you wish."));
  EXPECT_EQ(agent().say("Go", user.get_token()).reason, "cancelled");
  EXPECT_EQ(agent().say("Never mind.").reason, "done");
  EXPECT_TRUE(model_.last_results()[0].content.starts_with("CANCELLED: The call was not made"));
  EXPECT_EQ(model_.last_user_text(), "Never mind.");
  EXPECT_FALSE(exists("x"));
}

TEST_F(AgentTest, AResumedSessionDoesNotReuseEventNumbers) {
  model_.then(say("One."));
  model_.then(say("Two."));
  EXPECT_EQ(agent().say("Go").reason, "done");
  const std::uint64_t last = agent().session().events().last_seq();
  EXPECT_EQ(resumed(agent().id()).say("On").reason, "done");
  const auto batch = agent().session().events().after(0);
  ASSERT_FALSE(batch.events.empty());
  EXPECT_GT(batch.events.front()->seq, last);
  // Events can be read from any seq.
  const auto rest = agent().session().events().after(batch.events[1]->seq);
  EXPECT_EQ(rest.events.front()->seq, batch.events[2]->seq);
  EXPECT_EQ(rest.missed, 0u);
}

TEST(Entries, ReadsBackArgumentsOfMaximumDepth) {
  Json deep = JsonObject();
  for (int i = 0; i < 62; ++i) deep = JsonObject{{"a", std::move(deep)}};
  ASSERT_TRUE(parse_json(to_text(deep)));
  const auto draft = to_draft(PauseEntry{.call = "c", .request = JsonObject{{"arguments", JsonArray{deep}}}});
  const auto entry = to_entry({.seq = 1, .kind = draft.kind, .body = draft.body});
  ASSERT_TRUE(entry) << entry.error().message;
  EXPECT_EQ(to_text(std::get<PauseEntry>(*entry).request),
            to_text(JsonObject{{"arguments", JsonArray{deep}}}));
}

TEST_F(AgentTest, OnlyOneProcessCanContinueASession) {
  model_.then(say("One."));
  model_.then(say("Two."));
  model_.then(say("Three."));
  EXPECT_EQ(agent().say("Go").reason, "done");
  auto other = Agent::resume(parts(), agent().id());
  ASSERT_TRUE(other);
  EXPECT_EQ((*other)->say("Here").reason, "done");
  const Ending ending = agent().say("There");
  EXPECT_EQ(ending.reason, "error");
  EXPECT_EQ(ending.error->code, ErrorCode::kConflict);
}

TEST_F(AgentTest, RefusesToResumeInAnotherWorkspace) {
  model_.then(say("One."));
  EXPECT_EQ(agent().say("Go").reason, "done");
  const std::string id = agent().id();
  forget();
  std::filesystem::create_directory(directory_.at("elsewhere"));
  options_.workspace = directory_.at("elsewhere");
  const auto refused = Agent::resume(parts(), id);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("belongs to the workspace"));
  EXPECT_EQ(records().load(id)->title, "A title");
}

}  // namespace
}  // namespace helve::agent
