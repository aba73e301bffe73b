#include "agent/turn_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "agent/testing.h"
#include "agent/turn.h"

namespace helve::agent {
namespace {

class TurnLimitsTest : public AgentTest {
 protected:
  // Scripts the same reply many times.
  void always(const model::Reply& reply, std::size_t times = 300) {
    for (std::size_t i = 0; i < times; ++i) model_.then(reply);
  }
  Ending run(const std::string& text = "Go") { return agent().say(text); }
};

TEST_F(TurnLimitsTest, WarnsAboutRepeatedCallsAndThenStops) {
  always(want({{"c", "ls", JsonObject{{"path", "."}}}}));
  const Ending ending = run();
  EXPECT_EQ(ending.reason, "no-progress");
  EXPECT_EQ(ending.error->message, "The model made the same calls 4 times and got the same results.");
  // Four rounds, with a note after the second and the third.
  ASSERT_EQ(model_.requests.size(), 4u);
  EXPECT_TRUE(model_.requests[1].turns.size() == 3u);
  const auto* note = std::get_if<model::UserTurn>(&model_.requests[2].turns.back());
  ASSERT_NE(note, nullptr);
  EXPECT_TRUE(
      note->text.starts_with("Note from Helve: you have made the same calls with the same results 2 times"));
}

TEST_F(TurnLimitsTest, IgnoresTimesAndIdsWhenComparingResults) {
  int count = 0;
  ASSERT_TRUE(runtime().add(
      make_tool({.name = "clock", .description = "Tells the time."}, [&](Context&, const Json&) -> Result {
        ++count;
        return Output{.content = concat("job_a", count, "f8k2m9x took ", count, " ms at 2026-01-0", count,
                                        "T10:00:00Z")};
      })));
  always(want({{"c", "clock", JsonObject()}}));
  EXPECT_EQ(run().reason, "no-progress");
  EXPECT_EQ(count, 4);
}

TEST_F(TurnLimitsTest, DifferentResultsAreProgress) {
  int count = 0;
  ASSERT_TRUE(runtime().add(make_tool(
      {.name = "counter", .description = "Counts."},
      [&](Context&, const Json&) -> Result { return Output{.content = concat("lines: ", ++count)}; })));
  always(want({{"c", "counter", JsonObject()}}), 6);
  model_.then(say("Done."));
  EXPECT_EQ(run().reason, "done");
}

TEST_F(TurnLimitsTest, LimitsTheCallsOfATurn) {
  options_.settings.agent.calls = 5;
  std::vector<ScriptedCall> three;
  for (int i = 0; i < 3; ++i)
    three.push_back({concat("c", i), "write", JsonObject{{"path", concat("f", i)}, {"content", "x"}}});
  model_.then(want(three));
  for (ScriptedCall& call : three) call.arguments = JsonObject{{"path", call.id + "-late"}, {"content", "x"}};
  model_.then(want(three));
  model_.then(say("Later."));
  const Ending ending = run();
  EXPECT_EQ(ending.reason, "call-limit");
  EXPECT_EQ(ending.error->message, "The model requested 6 calls in one turn; the limit is 5.");
  EXPECT_TRUE(exists("f2"));
  EXPECT_FALSE(exists("c0-late"));  // the batch over the limit did not run
  // The user may continue, and the model learns what did not run.
  EXPECT_EQ(agent().say("Go on").reason, "done");
  EXPECT_TRUE(model_.last_results()[0].content.starts_with("UNAVAILABLE: The model requested 6 calls"));
}

TEST_F(TurnLimitsTest, TheDefaultCallLimitIs128) {
  std::vector<ScriptedCall> many;
  for (int i = 0; i < 129; ++i) many.push_back({concat("c", i), "ls", JsonObject{{"path", "."}}});
  model_.then(want(many));
  EXPECT_EQ(run().reason, "call-limit");
}

TEST_F(TurnLimitsTest, CallsOfACutReplyAreNotRun) {
  model::Reply cut = want({{"c1", "write", JsonObject{{"path", "x"}, {"content", "ha"}}}});
  cut.stop = model::StopReason::kLength;
  model_.then(std::move(cut));
  model_.then(say("Shorter."));
  EXPECT_EQ(run().reason, "done");
  EXPECT_FALSE(exists("x"));
  EXPECT_TRUE(model_.last_results()[0].content.starts_with(
      "INVALID_ARGUMENT: Your reply was cut off at the length limit, so none of its calls were run"));
}

TEST_F(TurnLimitsTest, ContinuesATextThatWasCutOff) {
  model_.then(say("Once upon", model::StopReason::kLength));
  model_.then(say(" a time."));
  EXPECT_EQ(run().reason, "done");
  EXPECT_TRUE(model_.last_user_text().starts_with("Note from Helve: your reply was cut"));
}

TEST_F(TurnLimitsTest, AReplyThatIsCutOffRepeatedlyEndsTheTurn) {
  always(say("More", model::StopReason::kLength));
  EXPECT_EQ(run().reason, "length");
  EXPECT_EQ(model_.requests.size(), 4u);
}

TEST_F(TurnLimitsTest, DoesNotSendEmptyRepliesBack) {
  model_.then(say("", model::StopReason::kLength));
  const Ending ending = run();
  EXPECT_EQ(ending.reason, "length");
  EXPECT_EQ(ending.error->message, "The model hit the length limit before it produced any text.");
  model_.script[0] = [](const auto&, const auto&, const auto&) { return say("Now."); };
  EXPECT_EQ(run("Again").reason, "done");
  ASSERT_EQ(model_.requests.back().turns.size(), 2u);  // the two user messages
}

TEST_F(TurnLimitsTest, CallsAPausedModelAgainUpToALimit) {
  model_.then(say("Working", model::StopReason::kPaused));
  model_.then(say("Done."));
  EXPECT_EQ(run().reason, "done");
  EXPECT_TRUE(std::holds_alternative<model::ModelTurn>(model_.requests.back().turns.back()));
  always(say("Hm", model::StopReason::kPaused));
  const Ending ending = run("More");
  EXPECT_EQ(ending.reason, "error");
  EXPECT_EQ(ending.error->message, "The model kept pausing without replying.");
}

TEST_F(TurnLimitsTest, ARefusalEndsTheTurn) {
  model_.then(say("I will not.", model::StopReason::kRefused));
  EXPECT_EQ(run().reason, "refused");
}

TEST_F(TurnLimitsTest, AFullContextWindowIsAnErrorAndKeepsTheSession) {
  model_.then(say("", model::StopReason::kContextFull));
  const Ending ending = run();
  EXPECT_EQ(ending.reason, "error");
  EXPECT_EQ(ending.error->message, "The conversation no longer fits the model's context window.");
  EXPECT_TRUE(agent().can_continue());
}

TEST_F(TurnLimitsTest, EnforcesBudgetsOfTokensAndMoney) {
  options_.settings.agent.tokens = 250;  // each reply uses 110
  always(want({{"c", "ls", JsonObject{{"path", "."}}}}));
  Ending ending = run();
  EXPECT_EQ(ending.reason, "budget");
  EXPECT_EQ(ending.error->message, "The session used 330 tokens; its budget is 250.");
  forget();
  options_.settings.agent.tokens = 0;
  options_.settings.agent.money = 0.02;
  options_.settings.model.prices = {.input = 100, .cached = 10, .output = 500};  // 0.015 per reply
  ending = run();
  EXPECT_EQ(ending.reason, "budget");
  EXPECT_EQ(ending.error->message, "The session cost 0.03; its budget is 0.02.");
  const auto last = agent().session().events().after(0).events.back()->to_json();
  EXPECT_EQ(to_text(*last.find("details")),
            R"({"usage":{"inputTokens":200,"cachedTokens":0,"outputTokens":20},"cost":0.03})");
}

TEST_F(TurnLimitsTest, LimitsTheRoundsOfATurn) {
  options_.settings.agent.rounds = 2;
  always(want({{"c", "ls", JsonObject{{"path", "."}}}}), 2);
  model_.then(say("Done."));
  const Ending ending = run();
  EXPECT_EQ(ending.reason, "round-limit");
  EXPECT_EQ(ending.error->hint, "Send a message such as \"Continue\", or raise agent.rounds (--max-turns).");
  EXPECT_EQ(agent().say("Go on").reason, "done");
}

TEST(TurnLimits, LimitsTheTimeOfATurn) {
  const AgentSettings settings{.minutes = 2};
  const auto now = TurnLimits::Clock::now();
  EXPECT_FALSE(TurnLimits(settings, {}, now - std::chrono::minutes(1)).before_reply({}));
  const auto over = TurnLimits(settings, {}, now - std::chrono::minutes(3)).before_reply({});
  ASSERT_TRUE(over);
  EXPECT_EQ(over->reason, "deadline");
  EXPECT_EQ(over->error->message, "The turn reached its limit of 2 minutes.");
  EXPECT_EQ(TurnLimits({}, {}).deadline(), TurnLimits::Clock::time_point::max());
}

TEST_F(TurnLimitsTest, TurnStopReactsToTheUserAndToTheDeadline) {
  std::stop_source user;
  const TurnStop by_user(user.get_token(), std::chrono::steady_clock::time_point::max());
  EXPECT_FALSE(by_user.token().stop_requested());
  user.request_stop();
  EXPECT_TRUE(by_user.token().stop_requested());
  const TurnStop by_time({}, std::chrono::steady_clock::now() + std::chrono::milliseconds(5));
  while (!by_time.token().stop_requested()) std::this_thread::yield();
}

TEST_F(TurnLimitsTest, OldResultsAreShortenedBeforeTheWindowIsFull) {
  const std::string long_text(8'000, 'x');
  int count = 0;
  options_.settings.tools.enabled = {"talk"};  // other tools' descriptions would fill the window
  ASSERT_TRUE(runtime().add(
      make_tool({.name = "talk", .description = "Says much."}, [&](Context&, const Json&) -> Result {
        return Output{.content = concat("answer ", ++count, "\n", long_text)};
      })));
  const model::Conversation empty{.tools = {}};
  // Without usage numbers from the server only the rough estimate counts.
  model::Reply ask = want({{"c", "talk", JsonObject()}});
  ask.usage = {};
  always(ask, 5);
  model_.then(say("Enough."));
  model_.window = 8'000;
  EXPECT_EQ(run().reason, "done");
  const auto contents = [&](const model::Conversation& conversation) {
    std::vector<std::size_t> sizes;
    for (const model::Turn& turn : conversation.turns)
      if (const auto* results = std::get_if<model::ResultsTurn>(&turn))
        sizes.push_back(results->results[0].content.size());
    return sizes;
  };
  const auto sizes = contents(model_.requests.back());
  ASSERT_EQ(sizes.size(), 5u);
  EXPECT_LT(sizes[0], 500u);
  EXPECT_GT(sizes[4], 8'000u);  // never the last round
  // Shortened results stay shortened, so that the server's prompt cache stays valid.
  bool was_short = false;
  for (const model::Conversation& conversation : model_.requests) {
    const auto now = contents(conversation);
    if (now.empty()) continue;
    EXPECT_TRUE(!was_short || now[0] < 500u);
    was_short = was_short || now[0] < 500u;
  }
  EXPECT_TRUE(was_short);
}

TEST_F(TurnLimitsTest, ReportsAContextWindowThatIsTooSmall) {
  model_.window = 1'000;
  model_.then(say("Hello."));
  const Ending ending = run(std::string(5'000, 'x'));
  EXPECT_EQ(ending.reason, "error");
  EXPECT_THAT(ending.error->message, ::testing::HasSubstr("the model's context window has 1,000."));
  EXPECT_THAT(ending.error->hint, ::testing::HasSubstr("larger window"));
  EXPECT_TRUE(model_.requests.empty());
}

TEST_F(TurnLimitsTest, CorrectsTheEstimateByTheServersCount) {
  Transcript transcript;
  const model::Conversation conversation{.system = std::string(4'000, 'x')};
  EXPECT_EQ(ContextWindow::estimate(conversation, transcript), rough_tokens(conversation));
  ReplyEntry reply{.usage = {.input_tokens = 2'000}, .estimate = 1'000};
  transcript.add(reply);
  EXPECT_EQ(ContextWindow::estimate(conversation, transcript), 2 * rough_tokens(conversation));
}

TEST_F(TurnLimitsTest, ShortensOldResultsWhenTheServerReportsAFullWindow) {
  put("long.txt", std::string(3'000, 'y'));
  model_.then(want({{"c1", "read", JsonObject{{"path", "long.txt"}}}}));
  model_.then(want({{"c2", "ls", JsonObject{{"path", "."}}}}));
  int tries = 0;
  model_.then(
      [&](const model::Conversation& conversation, const auto&, const auto&) -> Expected<model::Reply> {
        if (++tries == 1) return say("", model::StopReason::kContextFull);
        const auto& results = std::get<model::ResultsTurn>(conversation.turns[2]);
        EXPECT_LT(results.results[0].content.size(), 500u);
        return say("Fits.");
      });
  EXPECT_EQ(run().reason, "done");
  EXPECT_EQ(tries, 2);
}

}  // namespace
}  // namespace helve::agent
