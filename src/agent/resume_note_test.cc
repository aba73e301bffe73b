#include "agent/resume_note.h"

#include <gtest/gtest.h>

#include "agent/testing.h"

namespace helve::agent {
namespace {

class ResumeNoteTest : public AgentTest {
 protected:
  // Everything that was said to the model, one text per line.
  std::string told() const {
    std::string all;
    for (const model::Turn& turn : model_.heard.back().turns)
      if (const auto* user = std::get_if<model::UserTurn>(&turn)) all += concat(user->text, "\n");
    return all;
  }
  std::string left_running() const {
    const std::string content = model_.last_results().at(0).content;
    const std::size_t at = content.find("cmd_");
    return content.substr(at, content.find('.', at) - at);
  }
  ScriptedModel::Step interrupting(std::stop_source& person) {
    return [&](const auto&, const auto&, const auto&) -> Expected<model::Reply> {
      person.request_stop();
      return fail(ErrorCode::kCancelled, "Stopped.");
    };
  }
};

TEST_F(ResumeNoteTest, BackgroundCommandsThatEndedWithTheProgramAreNamedOnce) {
  model_.then(want({{"c1", "exec", JsonObject{{"command", "sleep 300"}, {"background", true}}}}));
  model_.then(say("It runs."));
  model_.then(say("Ah."));
  model_.then(say("Yes."));
  ASSERT_EQ(agent().say("Start it").reason, "done");
  const std::string id = left_running();
  ASSERT_EQ(resumed(agent().id()).say("And now?").reason, "done");
  const std::string note = concat(
      "Note from Helve: The session was closed since then, and commands that ran in the background have "
      "ended: ",
      id, " (sleep 300).\n");
  EXPECT_EQ(told(), concat("Start it\n", note, "And now?\n"));
  ASSERT_EQ(resumed(agent().id()).say("Still there?").reason, "done");
  EXPECT_EQ(told(), concat("Start it\n", note, "And now?\nStill there?\n"));
}

TEST_F(ResumeNoteTest, ManyCommandsAreAllNamedSoThatNoneComesAgain) {
  std::vector<Wanted> calls;
  for (const char* id : {"c1", "c2", "c3", "c4", "c5", "c6", "c7"})
    calls.push_back({id, "exec", JsonObject{{"command", "sleep 300"}, {"background", true}}});
  model_.then(want(calls));
  for (const char* text : {"They run.", "Ah.", "Yes."}) model_.then(say(text));
  ASSERT_EQ(agent().say("Start them").reason, "done");
  ASSERT_EQ(resumed(agent().id()).say("And now?").reason, "done");
  const std::string once = told();
  const auto count = [&](std::string_view word) {
    std::size_t found = 0;
    for (std::size_t at = once.find(word); at != std::string::npos; at = once.find(word, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("cmd_"), 7U) << once;
  EXPECT_EQ(count("(sleep 300)"), 5U) << once;
  ASSERT_EQ(resumed(agent().id()).say("Still there?").reason, "done");
  EXPECT_EQ(told(), concat(once, "Still there?\n"));
}

TEST_F(ResumeNoteTest, CommandsWhoseEndTheModelSawAreNotNamed) {
  model_.then(want({{"c1", "exec", JsonObject{{"command", "sleep 300"}, {"background", true}}}}));
  model_.then([this](const auto&, const auto&, const auto&) {
    return want({{"c2", "process", JsonObject{{"action", "kill"}, {"sessionId", left_running()}}}});
  });
  model_.then(say("Ended."));
  model_.then(say("Yes."));
  ASSERT_EQ(agent().say("Start and end it").reason, "done");
  ASSERT_EQ(resumed(agent().id()).say("And now?").reason, "done");
  EXPECT_EQ(told(), "Start and end it\nAnd now?\n");
}

TEST_F(ResumeNoteTest, CommandsAreStillNamedWhenTheTurnIsStoppedBeforeTheModelSpeaks) {
  model_.then(want({{"c1", "exec", JsonObject{{"command", "sleep 300"}, {"background", true}}}}));
  model_.then(want({{"c2", "exec", JsonObject{{"command", "sleep 400"}, {"background", true}}},
                    {"c3", "write", JsonObject{{"path", "a.txt"}, {"content", "a"}}}}));
  model_.then(say("Well."));
  std::stop_source first;
  std::stop_source second;
  std::stop_source* person = &first;
  options_.settings.mode = Mode::kAsk;
  approver_ = std::make_shared<ScriptedApprover>([&](const PermissionRequest& request, const auto&) {
    if (request.call_id == "c3") person->request_stop();
    return Approval{.granted = request.call_id != "c3"};
  });
  ASSERT_EQ(agent().say("Start it", first.get_token()).reason, "cancelled");
  const std::string id = left_running();
  person = &second;
  ASSERT_EQ(resumed(agent().id()).go_on(second.get_token()).reason, "cancelled");
  ASSERT_EQ(agent().say("Do something else").reason, "done");
  EXPECT_TRUE(
      told().contains(concat("in the background have ended: ", id, " (sleep 300).\nDo something else\n")))
      << told();
}

TEST_F(ResumeNoteTest, TheModelHearsThatItsTurnWasInterrupted) {
  std::stop_source person;
  model_.then(interrupting(person));
  ASSERT_EQ(agent().say("Go", person.get_token()).reason, "cancelled");
  model_.script[0] = [](const auto&, const auto&, const auto&) { return say("Now."); };
  ASSERT_EQ(resumed(agent().id()).say("Something else").reason, "done");
  EXPECT_EQ(told(), "Go\nNote from Helve: Your last turn was interrupted before its end.\nSomething else\n");
}

TEST_F(ResumeNoteTest, ATurnThatGoesOnSaysSoAfterTheResultsOfItsCalls) {
  put("a.txt", "a");
  std::stop_source person;
  model_.then(want({{"c1", "read", JsonObject{{"path", "a.txt"}}}}));
  model_.then(interrupting(person));
  ASSERT_EQ(agent().say("Go", person.get_token()).reason, "cancelled");
  model_.script[1] = [](const auto&, const auto&, const auto&) { return say("Done."); };
  ASSERT_EQ(resumed(agent().id()).go_on().reason, "done");
  EXPECT_EQ(model_.last_words(), "Note from Helve: Your turn was interrupted; go on with it.");
  EXPECT_FALSE(agent().can_go_on());
}

TEST_F(ResumeNoteTest, AProgramThatWasKilledLeftATurnWithoutAnEnd) {
  Transcript transcript;
  transcript.add(BeginEntry{"You are a test."});
  EXPECT_EQ(resume_note(transcript, {}, Next::kNewTurn), "");
  transcript.add(UserEntry{"Go"});
  EXPECT_EQ(resume_note(transcript, {}, Next::kNewTurn),
            "Note from Helve: Your last turn was interrupted before its end.");
  transcript.add(EndEntry{"error", "The server is on fire."});
  EXPECT_EQ(resume_note(transcript, {}, Next::kNewTurn), "");
  transcript.add(ReplyEntry{.text = "Done."});  // and killed before the end was written
  EXPECT_EQ(resume_note(transcript, {}, Next::kNewTurn), "");
}

}  // namespace
}  // namespace helve::agent
