#include "agent/guards.h"

#include <gtest/gtest.h>

#include <thread>

#include "agent/context_keeper.h"
#include "agent/testing.h"
#include "agent/turn_stop.h"

namespace helve::agent {
namespace {

class GuardsTest : public AgentTest {
 protected:
  // A model that always wants the same, in replies without end.
  void always(const model::Reply& reply, std::size_t times = 300) {
    for (std::size_t i = 0; i < times; ++i) model_.then(reply);
  }
  Ending run(const std::string& text = "Go") { return agent().say(text); }
};

TEST_F(GuardsTest, SameCallsWithSameResultsAreNotedAndThenStopped) {
  always(want({{"c", "ls", JsonObject{{"path", "."}}}}));
  const Ending ending = run();
  EXPECT_EQ(ending.reason, "no-progress");
  EXPECT_EQ(ending.error->message, "The model made the same calls 4 times and got the same results.");
  // Four rounds: a note after the second and the third.
  ASSERT_EQ(model_.heard.size(), 4u);
  EXPECT_TRUE(model_.heard[1].turns.size() == 3u);
  const auto* note = std::get_if<model::UserTurn>(&model_.heard[2].turns.back());
  ASSERT_NE(note, nullptr);
  EXPECT_TRUE(
      note->text.starts_with("Note from Helve: you have made the same calls with the same results 2 times"));
}

TEST_F(GuardsTest, ResultsThatDifferInTimesAndIdsAreTheSame) {
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

TEST_F(GuardsTest, DifferentResultsAreProgress) {
  int count = 0;
  ASSERT_TRUE(runtime().add(make_tool(
      {.name = "counter", .description = "Counts."},
      [&](Context&, const Json&) -> Result { return Output{.content = concat("lines: ", ++count)}; })));
  always(want({{"c", "counter", JsonObject()}}), 6);
  model_.then(say("Done."));
  EXPECT_EQ(run().reason, "done");
}

TEST_F(GuardsTest, ATurnHasAtMostSoManyCalls) {
  options_.settings.agent.calls = 5;
  std::vector<Wanted> three;
  for (int i = 0; i < 3; ++i)
    three.push_back({concat("c", i), "write", JsonObject{{"path", concat("f", i)}, {"content", "x"}}});
  model_.then(want(three));
  for (Wanted& call : three) call.arguments = JsonObject{{"path", call.id + "-late"}, {"content", "x"}};
  model_.then(want(three));
  model_.then(say("Later."));
  const Ending ending = run();
  EXPECT_EQ(ending.reason, "call-limit");
  EXPECT_EQ(ending.error->message, "The model wants 6 calls in one turn, and the limit is 5.");
  EXPECT_TRUE(exists("f2"));
  EXPECT_FALSE(exists("c0-late"));  // nothing of the batch that would have been too much
  // The person may let it go on; the model knows what was not run.
  EXPECT_EQ(agent().say("Go on").reason, "done");
  EXPECT_TRUE(model_.last_results()[0].content.starts_with("UNAVAILABLE: The model wants 6 calls"));
}

TEST_F(GuardsTest, TheUsualLimitIs128) {
  std::vector<Wanted> many;
  for (int i = 0; i < 129; ++i) many.push_back({concat("c", i), "ls", JsonObject{{"path", "."}}});
  model_.then(want(many));
  EXPECT_EQ(run().reason, "call-limit");
}

TEST_F(GuardsTest, CallsOfACutReplyAreNotRun) {
  model::Reply cut = want({{"c1", "write", JsonObject{{"path", "x"}, {"content", "ha"}}}});
  cut.stop = model::StopReason::kLength;
  model_.then(std::move(cut));
  model_.then(say("Shorter."));
  EXPECT_EQ(run().reason, "done");
  EXPECT_FALSE(exists("x"));
  EXPECT_TRUE(model_.last_results()[0].content.starts_with(
      "INVALID_ARGUMENT: Your reply was cut by the limit on its length, so none of its calls were run"));
}

TEST_F(GuardsTest, ACutTextGoesOn) {
  model_.then(say("Once upon", model::StopReason::kLength));
  model_.then(say(" a time."));
  EXPECT_EQ(run().reason, "done");
  EXPECT_TRUE(model_.last_words().starts_with("Note from Helve: your reply was cut"));
}

TEST_F(GuardsTest, AReplyThatIsCutAgainAndAgainEndsTheTurn) {
  always(say("More", model::StopReason::kLength));
  EXPECT_EQ(run().reason, "length");
  EXPECT_EQ(model_.heard.size(), 4u);
}

TEST_F(GuardsTest, AReplyWithoutAWordIsNotSentBack) {
  model_.then(say("", model::StopReason::kLength));
  const Ending ending = run();
  EXPECT_EQ(ending.reason, "length");
  EXPECT_EQ(ending.error->message,
            "The model used up the limit on a reply's length before it said anything.");
  model_.script[0] = [](const auto&, const auto&, const auto&) { return say("Now."); };
  EXPECT_EQ(run("Again").reason, "done");
  ASSERT_EQ(model_.heard.back().turns.size(), 2u);  // what the person said, twice
}

TEST_F(GuardsTest, AModelThatPausesIsCalledAgainButNotForEver) {
  model_.then(say("Working", model::StopReason::kPaused));
  model_.then(say("Done."));
  EXPECT_EQ(run().reason, "done");
  EXPECT_TRUE(std::holds_alternative<model::ModelTurn>(model_.heard.back().turns.back()));
  always(say("Hm", model::StopReason::kPaused));
  const Ending ending = run("More");
  EXPECT_EQ(ending.reason, "error");
  EXPECT_EQ(ending.error->message, "The model paused again and again without saying anything.");
}

TEST_F(GuardsTest, ARefusalEndsTheTurn) {
  model_.then(say("I will not.", model::StopReason::kRefused));
  EXPECT_EQ(run().reason, "refused");
}

TEST_F(GuardsTest, AWindowThatStaysFullIsAnErrorAndNothingIsLost) {
  model_.then(say("", model::StopReason::kContextFull));
  const Ending ending = run();
  EXPECT_EQ(ending.reason, "error");
  EXPECT_EQ(ending.error->message, "The conversation no longer fits the model's window.");
  EXPECT_TRUE(agent().can_go_on());
}

TEST_F(GuardsTest, BudgetsOfTokensAndMoney) {
  options_.settings.agent.tokens = 250;  // each reply takes 110
  always(want({{"c", "ls", JsonObject{{"path", "."}}}}));
  Ending ending = run();
  EXPECT_EQ(ending.reason, "budget");
  EXPECT_EQ(ending.error->message, "The session used 330 tokens, and its budget is 250.");
  forget();
  options_.settings.agent.tokens = 0;
  options_.settings.agent.money = 0.02;
  options_.settings.model.prices = {.input = 100, .cached = 10, .output = 500};  // 0.015 a reply
  ending = run();
  EXPECT_EQ(ending.reason, "budget");
  EXPECT_EQ(ending.error->message, "The session cost 0.03, and its budget is 0.02.");
  const auto last = agent().session().events().after(0).events.back()->to_json();
  EXPECT_EQ(to_text(*last.find("details")),
            R"({"usage":{"inputTokens":200,"cachedTokens":0,"outputTokens":20},"cost":0.03})");
}

TEST_F(GuardsTest, RoundsOfATurn) {
  options_.settings.agent.rounds = 2;
  always(want({{"c", "ls", JsonObject{{"path", "."}}}}), 2);
  model_.then(say("Done."));
  const Ending ending = run();
  EXPECT_EQ(ending.reason, "round-limit");
  EXPECT_EQ(ending.error->hint, "Say something, such as \"Go on\", or raise agent.rounds (--max-turns).");
  EXPECT_EQ(agent().say("Go on").reason, "done");
}

TEST(Guards, ATurnHasSoMuchTime) {
  const Settings::Agent settings{.minutes = 2};
  const auto now = Guards::Clock::now();
  EXPECT_FALSE(Guards(settings, {}, now - std::chrono::minutes(1)).before_reply({}));
  const auto over = Guards(settings, {}, now - std::chrono::minutes(3)).before_reply({});
  ASSERT_TRUE(over);
  EXPECT_EQ(over->reason, "deadline");
  EXPECT_EQ(over->error->message, "The turn took 2 minutes, which is the limit.");
  EXPECT_EQ(Guards({}, {}).deadline(), Guards::Clock::time_point::max());
}

TEST_F(GuardsTest, ATurnStopCountsTimeAndPeople) {
  std::stop_source person;
  const TurnStop by_person(person.get_token(), std::chrono::steady_clock::time_point::max());
  EXPECT_FALSE(by_person.token().stop_requested());
  person.request_stop();
  EXPECT_TRUE(by_person.token().stop_requested());
  const TurnStop by_time({}, std::chrono::steady_clock::now() + std::chrono::milliseconds(5));
  while (!by_time.token().stop_requested()) std::this_thread::yield();
}

TEST_F(GuardsTest, OldResultsAreShortenedBeforeTheWindowIsFull) {
  const std::string long_text(8'000, 'x');
  int count = 0;
  options_.settings.tools.enabled = {"talk"};  // what the others say of themselves would fill the window
  ASSERT_TRUE(runtime().add(
      make_tool({.name = "talk", .description = "Says much."}, [&](Context&, const Json&) -> Result {
        return Output{.content = concat("answer ", ++count, "\n", long_text)};
      })));
  const model::Conversation empty{.tools = {}};
  // Without usage from the server the rule of thumb counts alone.
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
  const auto sizes = contents(model_.heard.back());
  ASSERT_EQ(sizes.size(), 5u);
  EXPECT_LT(sizes[0], 500u);
  EXPECT_GT(sizes[4], 8'000u);  // never the last round
  // What was shortened stays so, or the server's cache would be of no use.
  bool was_short = false;
  for (const model::Conversation& conversation : model_.heard) {
    const auto now = contents(conversation);
    if (now.empty()) continue;
    EXPECT_TRUE(!was_short || now[0] < 500u);
    was_short = was_short || now[0] < 500u;
  }
  EXPECT_TRUE(was_short);
}

TEST_F(GuardsTest, AWindowThatIsTooSmallIsAClearError) {
  model_.window = 1'000;
  model_.then(say("Hello."));
  const Ending ending = run(std::string(5'000, 'x'));
  EXPECT_EQ(ending.reason, "error");
  EXPECT_NE(ending.error->message.find("and the model's window has 1,000"), std::string::npos)
      << ending.error->message;
  EXPECT_NE(ending.error->hint.find("larger window"), std::string::npos);
  EXPECT_TRUE(model_.heard.empty());
}

TEST_F(GuardsTest, TheEstimateLearnsFromTheServer) {
  Transcript transcript;
  const model::Conversation conversation{.system = std::string(4'000, 'x')};
  EXPECT_EQ(ContextKeeper::estimate(conversation, transcript), rough_tokens(conversation));
  ReplyEntry reply{.usage = {.input_tokens = 2'000}, .estimate = 1'000};
  transcript.add(reply);
  EXPECT_EQ(ContextKeeper::estimate(conversation, transcript), 2 * rough_tokens(conversation));
}

TEST_F(GuardsTest, AFullWindowIsEmptiedOnce) {
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
