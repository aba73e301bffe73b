#include "agent/resume_note.h"

#include <gtest/gtest.h>

#include "agent/testing.h"

namespace helve::agent {
namespace {

class ResumeNoteTest : public AgentTest {
 protected:
  // All user messages that the model got, one per line.
  std::string user_texts() const {
    std::string all;
    for (const model::Turn& turn : model_.requests.back().turns)
      if (const auto* user = std::get_if<model::UserTurn>(&turn)) all += concat(user->text, "\n");
    return all;
  }
  std::string left_running() const {
    const std::string content = model_.last_results().at(0).content;
    const std::size_t at = content.find("cmd_");
    return content.substr(at, content.find('.', at) - at);
  }
  ScriptedModel::Step interrupting(std::stop_source& user) {
    return [&](const auto&, const auto&, const auto&) -> Expected<model::Reply> {
      user.request_stop();
      return fail(ErrorCode::kCancelled, "Stopped.");
    };
  }
};

TEST_F(ResumeNoteTest, ReportsEndedBackgroundCommandsOnce) {
  model_.then(want({{"c1", "exec", JsonObject{{"command", "sleep 300"}, {"background", true}}}}));
  model_.then(say("It runs."));
  model_.then(say("Ah."));
  model_.then(say("Yes."));
  ASSERT_EQ(agent().say("Start it").reason, "done");
  const std::string id = left_running();
  ASSERT_EQ(resumed(agent().id()).say("And now?").reason, "done");
  const std::string note = concat(
      "Note from Helve: The session was closed in the meantime, which ended these background commands: ", id,
      " (sleep 300).\n");
  EXPECT_EQ(user_texts(), concat("Start it\n", note, "And now?\n"));
  ASSERT_EQ(resumed(agent().id()).say("Still there?").reason, "done");
  EXPECT_EQ(user_texts(), concat("Start it\n", note, "And now?\nStill there?\n"));
}

TEST_F(ResumeNoteTest, NamesEveryEndedCommandSoThatNoneIsReportedTwice) {
  std::vector<ScriptedCall> calls;
  for (const char* id : {"c1", "c2", "c3", "c4", "c5", "c6", "c7"})
    calls.push_back({id, "exec", JsonObject{{"command", "sleep 300"}, {"background", true}}});
  model_.then(want(calls));
  for (const char* text : {"They run.", "Ah.", "Yes."}) model_.then(say(text));
  ASSERT_EQ(agent().say("Start them").reason, "done");
  ASSERT_EQ(resumed(agent().id()).say("And now?").reason, "done");
  const std::string once = user_texts();
  const auto count = [&](std::string_view word) {
    std::size_t found = 0;
    for (std::size_t at = once.find(word); at != std::string::npos; at = once.find(word, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("cmd_"), 7U) << once;
  EXPECT_EQ(count("(sleep 300)"), 5U) << once;
  ASSERT_EQ(resumed(agent().id()).say("Still there?").reason, "done");
  EXPECT_EQ(user_texts(), concat(once, "Still there?\n"));
}

TEST_F(ResumeNoteTest, OmitsCommandsWhoseEndTheModelSaw) {
  model_.then(want({{"c1", "exec", JsonObject{{"command", "sleep 300"}, {"background", true}}}}));
  model_.then([this](const auto&, const auto&, const auto&) {
    return want({{"c2", "process", JsonObject{{"action", "kill"}, {"sessionId", left_running()}}}});
  });
  model_.then(say("Ended."));
  model_.then(say("Yes."));
  ASSERT_EQ(agent().say("Start and end it").reason, "done");
  ASSERT_EQ(resumed(agent().id()).say("And now?").reason, "done");
  EXPECT_EQ(user_texts(), "Start and end it\nAnd now?\n");
}

TEST_F(ResumeNoteTest, ReportsCommandsLaterWhenTheTurnStopsBeforeTheModelReplies) {
  model_.then(want({{"c1", "exec", JsonObject{{"command", "sleep 300"}, {"background", true}}}}));
  model_.then(want({{"c2", "exec", JsonObject{{"command", "sleep 400"}, {"background", true}}},
                    {"c3", "write", JsonObject{{"path", "a.txt"}, {"content", "a"}}}}));
  model_.then(say("Well."));
  std::stop_source first;
  std::stop_source second;
  std::stop_source* user = &first;
  options_.settings.mode = Mode::kAsk;
  approver_ = std::make_shared<ScriptedApprover>([&](const PermissionRequest& request, const auto&) {
    if (request.call_id == "c3") user->request_stop();
    return Approval{.granted = request.call_id != "c3"};
  });
  ASSERT_EQ(agent().say("Start it", first.get_token()).reason, "cancelled");
  const std::string id = left_running();
  user = &second;
  ASSERT_EQ(resumed(agent().id()).continue_turn(second.get_token()).reason, "cancelled");
  ASSERT_EQ(agent().say("Do something else").reason, "done");
  EXPECT_TRUE(user_texts().contains(
      concat("ended these background commands: ", id, " (sleep 300).\nDo something else\n")))
      << user_texts();
}

TEST_F(ResumeNoteTest, ReportsAnInterruptedTurn) {
  std::stop_source user;
  model_.then(interrupting(user));
  ASSERT_EQ(agent().say("Go", user.get_token()).reason, "cancelled");
  model_.script[0] = [](const auto&, const auto&, const auto&) { return say("Now."); };
  ASSERT_EQ(resumed(agent().id()).say("Something else").reason, "done");
  EXPECT_EQ(user_texts(),
            "Go\nNote from Helve: Your last turn was interrupted before it finished.\nSomething else\n");
}

TEST_F(ResumeNoteTest, ContinuedTurnGetsItsNoteAfterTheResults) {
  put("a.txt", "a");
  std::stop_source user;
  model_.then(want({{"c1", "read", JsonObject{{"path", "a.txt"}}}}));
  model_.then(interrupting(user));
  ASSERT_EQ(agent().say("Go", user.get_token()).reason, "cancelled");
  model_.script[1] = [](const auto&, const auto&, const auto&) { return say("Done."); };
  ASSERT_EQ(resumed(agent().id()).continue_turn().reason, "done");
  EXPECT_EQ(model_.last_user_text(), "Note from Helve: Your turn was interrupted; continue it.");
  EXPECT_FALSE(agent().can_continue());
}

TEST_F(ResumeNoteTest, ReportsATurnWithoutAnEndAsInterrupted) {
  Transcript transcript;
  transcript.add(BeginEntry{"You are a test."});
  EXPECT_EQ(resume_note(transcript, {}, Next::kNewTurn), "");
  transcript.add(UserEntry{"Go"});
  EXPECT_EQ(resume_note(transcript, {}, Next::kNewTurn),
            "Note from Helve: Your last turn was interrupted before it finished.");
  transcript.add(EndEntry{"error", "The server is on fire."});
  EXPECT_EQ(resume_note(transcript, {}, Next::kNewTurn), "");
  transcript.add(ReplyEntry{.text = "Done."});  // killed before the end was recorded
  EXPECT_EQ(resume_note(transcript, {}, Next::kNewTurn), "");
}

}  // namespace
}  // namespace helve::agent
