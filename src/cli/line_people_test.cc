#include "cli/line_people.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <set>
#include <thread>

#include "base/file_io.h"
#include "base/strings.h"

namespace helve::cli {
namespace {

class LinePeopleTest : public ::testing::Test {
 protected:
  LinePeopleTest() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    from_ = UniqueFd(ends[0]);
    to_ = UniqueFd(ends[1]);
    people_ = std::make_unique<LinePeople>(from_.get());
    listener_ = people_->listen(events_);
  }

  void write(std::string_view text) const { EXPECT_TRUE(write_all(to_.get(), text)); }
  void tell(ToolEvent::Kind kind, const std::string& call_id) {
    events_.publish(ToolEvent{.kind = kind, .call_id = call_id, .tool = "write"});
  }
  std::future<Approval> ask_leave(const std::string& call_id) {
    tell(ToolEvent::Kind::kStart, call_id);
    tell(ToolEvent::Kind::kPermissionRequired, call_id);
    return std::async(std::launch::async, [this, call_id] {
      return people_->ask(PermissionRequest{.call_id = call_id, .tool = "write"}, {});
    });
  }
  // The next complaint: "message [waiting]".
  std::string complaint() {
    for (;;) {
      const auto batch = events_.wait_after(seen_, {}, std::chrono::seconds(20), 1);
      if (batch.events.empty()) return "none";
      seen_ = batch.events.front()->seq;
      if (const auto* error = std::get_if<ErrorEvent>(&batch.events.front()->body))
        return concat(error->message, " ", to_text(*error->details.find("waiting")));
    }
  }

  EventStream events_{"ses_test"};
  UniqueFd from_;
  UniqueFd to_;
  std::unique_ptr<LinePeople> people_;
  std::uint64_t seen_ = 0;
  std::jthread listener_;
};

TEST_F(LinePeopleTest, WrongAnswersAreReportedAndTheQuestionStaysOpen) {
  auto asked = ask_leave("call_1");
  write(R"({"tool_call_id": "call_9", "granted": true})"
        "\n");
  EXPECT_EQ(complaint(), R"(No call call_9 waits for an answer. ["call_1"])");
  write("yes\n");
  EXPECT_EQ(complaint(), R"(A line on stdin is no JSON: yes ["call_1"])");
  write("{\"granted\": true}\n");
  EXPECT_EQ(complaint(), R"(A line on stdin does not say what it answers: {"granted": true} ["call_1"])");
  write(R"({"tool_call_id": "call_1", "granted": "yes"})"
        "\n");
  EXPECT_EQ(complaint(), R"("granted" in the answer to call_1 is neither true nor false: "yes" ["call_1"])");
  write(R"({"tool_call_id": "call_1", "answers": ["yes"]})"
        "\n");
  EXPECT_EQ(complaint(), R"(The answer to call_1 has no "granted". ["call_1"])");
  write(R"({"tool_call_id": "call_1", "granted": true, "scope": "for ever"})"
        "\n");
  EXPECT_EQ(complaint(), R"(There is no such "scope" as in the answer to call_1: "for ever" ["call_1"])");
  write(R"({"tool_call_id": "call_1", "granted": true, "scope": "always"})"
        "\n");
  EXPECT_EQ(complaint(), R"(No rule fits the call call_1, so it cannot be allowed always. ["call_1"])");
  write(R"({"tool_call_id": "call_1", "granted": true, "scope": "session"})"
        "\n");
  const Approval approval = asked.get();
  EXPECT_TRUE(approval.granted);
  EXPECT_EQ(approval.scope, ApprovalScope::kSession);
}

TEST_F(LinePeopleTest, AnswersMayComeBeforeTheirQuestion) {
  tell(ToolEvent::Kind::kStart, "call_2");
  write(R"({"tool_call_id": "call_2", "granted": false, "reason": "no"})"
        "\n");
  auto first = ask_leave("call_1");
  write(R"({"tool_call_id": "call_1", "granted": true})"
        "\n");
  EXPECT_TRUE(first.get().granted);
  EXPECT_EQ(ask_leave("call_2").get().reason, "no");
  for (const auto& event : events_.after(0).events) EXPECT_NE(event->name(), "stream:error");
}

TEST_F(LinePeopleTest, ACallCanBeAnsweredWhenItsStartIsNoLongerKept) {
  tell(ToolEvent::Kind::kStart, "call_1");
  for (int i = 0; i < 2500; ++i) tell(ToolEvent::Kind::kUpdate, "call_1");
  tell(ToolEvent::Kind::kPermissionRequired, "call_1");
  auto asked = std::async(std::launch::async, [this] {
    return people_->ask(PermissionRequest{.call_id = "call_1", .tool = "exec"}, {});
  });
  write(R"({"tool_call_id": "call_1", "granted": true})"
        "\n");
  const bool answered = asked.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  to_ = UniqueFd();
  EXPECT_TRUE(answered && asked.get().granted);
}

TEST_F(LinePeopleTest, WhatWasMissedCountsUntilTheModelSpeaks) {
  tell(ToolEvent::Kind::kStart, "call_1");
  for (int i = 0; i < 2500; ++i) tell(ToolEvent::Kind::kUpdate, "call_1");
  tell(ToolEvent::Kind::kEnd, "call_1");
  events_.publish(TextEvent{.kind = TextEvent::Kind::kInit});
  auto asked = ask_leave("call_2");
  write(R"({"tool_call_id": "call_1", "granted": true})"
        "\n");
  EXPECT_EQ(complaint(), R"(No call call_1 waits for an answer. ["call_2"])");
  write(R"({"tool_call_id": "call_2", "granted": true})"
        "\n");
  EXPECT_TRUE(asked.get().granted);
}

TEST_F(LinePeopleTest, ASecondAnswerIsNotKeptForTheNextQuestionOfTheCall) {
  write(R"({"tool_call_id": "call_1", "granted": true})"
        "\n"
        R"({"tool_call_id": "call_1", "granted": true, "reason": "again"})"
        "\n");
  EXPECT_TRUE(ask_leave("call_1").get().granted);
  EXPECT_EQ(complaint(), "The call call_1 has its answer, and asks nothing else. []");
  tell(ToolEvent::Kind::kPermissionGranted, "call_1");
  tell(ToolEvent::Kind::kRunning, "call_1");
  write(R"({"tool_call_id": "call_1", "granted": true})"
        "\n");
  EXPECT_EQ(complaint(), "The call call_1 has its answer, and asks nothing else. []");
  tell(ToolEvent::Kind::kPermissionRequired, "call_1");
  write(R"({"tool_call_id": "call_1", "granted": false, "reason": "not that"})"
        "\n");
  EXPECT_EQ(people_->ask(PermissionRequest{.call_id = "call_1", .tool = "exec"}, {}).reason, "not that");
}

TEST_F(LinePeopleTest, WhatWasAnsweredIsNoLongerWaitedFor) {
  tell(ToolEvent::Kind::kStart, "call_1");
  tell(ToolEvent::Kind::kQuestionRequired, "call_1");
  write(R"({"tool_call_id": "call_1", "answers": ["blue"]})"
        "\n");
  EXPECT_TRUE(people_->ask(Question{.call_id = "call_1", .text = "Which?"}, {}).has_value());
  write("yes\n");
  EXPECT_EQ(complaint(), "A line on stdin is no JSON: yes []");
}

TEST_F(LinePeopleTest, TwoQuestionsOfOneCallAtOnceHaveAnAnswerEach) {
  tell(ToolEvent::Kind::kStart, "call_1");
  const auto question = [this] {
    tell(ToolEvent::Kind::kQuestionRequired, "call_1");
    return std::async(std::launch::async, [this] {
      return people_->ask(Question{.call_id = "call_1", .text = "Which?"}, {})->values.at(0);
    });
  };
  auto first = question();
  auto second = question();
  write(R"({"tool_call_id": "call_1", "answers": ["blue"]})"
        "\n"
        R"({"tool_call_id": "call_1", "answers": ["red"]})"
        "\n");
  EXPECT_EQ((std::set{first.get(), second.get()}), (std::set<std::string>{"blue", "red"}));
}

TEST_F(LinePeopleTest, UnknownCallsAreReportedThoughNothingIsAsked) {
  write(R"({"tool_call_id": "call_8", "granted": true})"
        "\n");
  events_.publish(TextEvent{.kind = TextEvent::Kind::kInit});
  EXPECT_EQ(complaint(), "No call call_8 waits for an answer. []");
  write(R"({"tool_call_id": "call_9", "granted": true})"
        "\n");
  EXPECT_EQ(complaint(), "No call call_9 waits for an answer. []");
  tell(ToolEvent::Kind::kStart, "call_1");
  write(R"({"tool_call_id": "call_1", "granted": true})"
        "\n");
  tell(ToolEvent::Kind::kEnd, "call_1");
  EXPECT_EQ(complaint(), "No call call_1 waits for an answer. []");
}

TEST_F(LinePeopleTest, AnswersForAResumedSessionMayBeThereBeforeItsCallsAre) {
  write(R"({"tool_call_id": "call_1", "granted": true})"
        "\n"
        R"({"tool_call_id": "call_2", "granted": false, "reason": "no"})"
        "\n");
  to_ = UniqueFd();
  tell(ToolEvent::Kind::kError, "call_0");
  tell(ToolEvent::Kind::kStart, "call_1");
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  tell(ToolEvent::Kind::kStart, "call_2");
  EXPECT_TRUE(ask_leave("call_1").get().granted);
  EXPECT_EQ(ask_leave("call_2").get().reason, "no");
  for (const auto& event : events_.after(0).events) EXPECT_NE(event->name(), "stream:error");
}

TEST_F(LinePeopleTest, AQuestionWantsTextsOrANo) {
  tell(ToolEvent::Kind::kStart, "call_1");
  tell(ToolEvent::Kind::kQuestionRequired, "call_1");
  auto asked = std::async(std::launch::async, [this] {
    return people_->ask(Question{.call_id = "call_1", .text = "Which?"}, {});
  });
  write(R"({"tool_call_id": "call_1", "answers": [1]})"
        "\n");
  EXPECT_EQ(complaint(), R"("answers" in the answer to call_1 is no list of texts: [1] ["call_1"])");
  write(R"({"tool_call_id": "call_1", "granted": true})"
        "\n");
  EXPECT_EQ(complaint(), R"(The answer to call_1 has no "answers". ["call_1"])");
  write(R"({"tool_call_id": "call_1", "granted": false})"
        "\n");
  EXPECT_EQ(asked.get()->kind, Reply::Kind::kDeclined);
}

TEST_F(LinePeopleTest, TheLastLineNeedsNoLineBreak) {
  auto asked = ask_leave("call_1");
  write(R"({"tool_call_id": "call_1", "granted": true})");
  to_ = UniqueFd();
  EXPECT_TRUE(asked.get().granted);
  EXPECT_FALSE(ask_leave("call_2").get().asked);
}

}  // namespace
}  // namespace helve::cli
