#include "chat/stdin_answers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <set>
#include <thread>

#include "base/file_io.h"
#include "base/strings.h"

namespace helve::chat {
namespace {

class StdinAnswersTest : public ::testing::Test {
 protected:
  StdinAnswersTest() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    from_ = UniqueFd(ends[0]);
    to_ = UniqueFd(ends[1]);
    answers_ = std::make_unique<StdinAnswers>(from_.get());
    listener_ = answers_->listen(events_).value();
  }

  void write(std::string_view text) const { EXPECT_TRUE(write_all(to_.get(), text)); }
  void publish(ToolEvent::Kind kind, const std::string& call_id) {
    events_.publish(ToolEvent{.kind = kind, .call_id = call_id, .tool = "write"});
  }
  std::future<Approval> ask_approval(const std::string& call_id) {
    publish(ToolEvent::Kind::kStart, call_id);
    publish(ToolEvent::Kind::kPermissionRequired, call_id);
    return std::async(std::launch::async, [this, call_id] {
      return answers_->ask(PermissionRequest{.call_id = call_id, .tool = "write"}, {});
    });
  }
  // The next error event as "message [waiting]".
  std::string next_error() {
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
  std::unique_ptr<StdinAnswers> answers_;
  std::uint64_t seen_ = 0;
  std::jthread listener_;
};

TEST_F(StdinAnswersTest, WrongAnswersAreReportedAndTheQuestionStaysOpen) {
  auto asked = ask_approval("call_1");
  write(R"({"tool_call_id": "call_9", "granted": true})"
        "\n");
  EXPECT_EQ(next_error(), R"(No call call_9 waits for an answer. ["call_1"])");
  write("yes\n");
  EXPECT_EQ(next_error(), R"(A line on stdin is not JSON: yes ["call_1"])");
  write("{\"granted\": true}\n");
  EXPECT_EQ(next_error(), R"(A line on stdin has no "tool_call_id": {"granted": true} ["call_1"])");
  write(R"({"tool_call_id": "call_1", "granted": "yes"})"
        "\n");
  EXPECT_EQ(next_error(), R"("granted" in the answer to call_1 is not true or false: "yes" ["call_1"])");
  write(R"({"tool_call_id": "call_1", "answers": ["yes"]})"
        "\n");
  EXPECT_EQ(next_error(), R"(The answer to call_1 has no "granted". ["call_1"])");
  write(R"({"tool_call_id": "call_1", "granted": true, "scope": "for ever"})"
        "\n");
  EXPECT_EQ(next_error(), R"(Unknown "scope" in the answer to call_1: "for ever" ["call_1"])");
  write(R"({"tool_call_id": "call_1", "granted": true, "scope": "always"})"
        "\n");
  EXPECT_EQ(next_error(), R"(Call call_1 has no rule to keep, so it cannot be allowed always. ["call_1"])");
  write(R"({"tool_call_id": "call_1", "granted": true, "scope": "session"})"
        "\n");
  const Approval approval = asked.get();
  EXPECT_TRUE(approval.granted);
  EXPECT_EQ(approval.scope, ApprovalScope::kSession);
}

TEST_F(StdinAnswersTest, AQuestionThatNobodyAnswersDoesNotOutliveItsLimit) {
  std::stop_source give_up;
  auto asked = std::async(std::launch::async, [&] {
    return answers_->ask(Question{.call_id = "call_1", .patience = std::chrono::milliseconds(100)},
                         give_up.get_token());
  });
  EXPECT_EQ(asked.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  give_up.request_stop();
  const auto reply = asked.get();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::kTimeout) << reply.error().message;
}

TEST_F(StdinAnswersTest, AnswersMayArriveBeforeTheirQuestion) {
  publish(ToolEvent::Kind::kStart, "call_2");
  write(R"({"tool_call_id": "call_2", "granted": false, "reason": "no"})"
        "\n");
  auto first = ask_approval("call_1");
  write(R"({"tool_call_id": "call_1", "granted": true})"
        "\n");
  EXPECT_TRUE(first.get().granted);
  EXPECT_EQ(ask_approval("call_2").get().reason, "no");
  for (const auto& event : events_.after(0).events) EXPECT_NE(event->name(), "stream:error");
}

TEST_F(StdinAnswersTest, AnswersACallWhoseStartEventWasDropped) {
  publish(ToolEvent::Kind::kStart, "call_1");
  for (int i = 0; i < 2500; ++i) publish(ToolEvent::Kind::kUpdate, "call_1");
  publish(ToolEvent::Kind::kPermissionRequired, "call_1");
  auto asked = std::async(std::launch::async, [this] {
    return answers_->ask(PermissionRequest{.call_id = "call_1", .tool = "exec"}, {});
  });
  write(R"({"tool_call_id": "call_1", "granted": true})"
        "\n");
  const bool answered = asked.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  to_ = UniqueFd();
  EXPECT_TRUE(answered && asked.get().granted);
}

TEST_F(StdinAnswersTest, MissedEventsMatterUntilTheNextReply) {
  publish(ToolEvent::Kind::kStart, "call_1");
  for (int i = 0; i < 2500; ++i) publish(ToolEvent::Kind::kUpdate, "call_1");
  publish(ToolEvent::Kind::kEnd, "call_1");
  events_.publish(TextEvent{.kind = TextEvent::Kind::kInit});
  auto asked = ask_approval("call_2");
  write(R"({"tool_call_id": "call_1", "granted": true})"
        "\n");
  EXPECT_EQ(next_error(), R"(No call call_1 waits for an answer. ["call_2"])");
  write(R"({"tool_call_id": "call_2", "granted": true})"
        "\n");
  EXPECT_TRUE(asked.get().granted);
}

TEST_F(StdinAnswersTest, RejectsASecondAnswerToTheSameQuestion) {
  write(R"({"tool_call_id": "call_1", "granted": true})"
        "\n"
        R"({"tool_call_id": "call_1", "granted": true, "reason": "again"})"
        "\n");
  EXPECT_TRUE(ask_approval("call_1").get().granted);
  EXPECT_EQ(next_error(), "Call call_1 was already answered. []");
  publish(ToolEvent::Kind::kPermissionGranted, "call_1");
  publish(ToolEvent::Kind::kRunning, "call_1");
  write(R"({"tool_call_id": "call_1", "granted": true})"
        "\n");
  EXPECT_EQ(next_error(), "Call call_1 was already answered. []");
  publish(ToolEvent::Kind::kPermissionRequired, "call_1");
  write(R"({"tool_call_id": "call_1", "granted": false, "reason": "not that"})"
        "\n");
  EXPECT_EQ(answers_->ask(PermissionRequest{.call_id = "call_1", .tool = "exec"}, {}).reason, "not that");
}

TEST_F(StdinAnswersTest, AnsweredCallsNoLongerWait) {
  publish(ToolEvent::Kind::kStart, "call_1");
  publish(ToolEvent::Kind::kQuestionRequired, "call_1");
  write(R"({"tool_call_id": "call_1", "answers": ["blue"]})"
        "\n");
  EXPECT_TRUE(answers_->ask(Question{.call_id = "call_1", .text = "Which?"}, {}).has_value());
  write("yes\n");
  EXPECT_EQ(next_error(), "A line on stdin is not JSON: yes []");
}

TEST_F(StdinAnswersTest, TwoQuestionsOfOneCallGetOneAnswerEach) {
  publish(ToolEvent::Kind::kStart, "call_1");
  const auto question = [this] {
    publish(ToolEvent::Kind::kQuestionRequired, "call_1");
    return std::async(std::launch::async, [this] {
      return answers_->ask(Question{.call_id = "call_1", .text = "Which?"}, {})->values.at(0);
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

TEST_F(StdinAnswersTest, ReportsUnknownCallsWithoutOpenQuestions) {
  write(R"({"tool_call_id": "call_8", "granted": true})"
        "\n");
  events_.publish(TextEvent{.kind = TextEvent::Kind::kInit});
  EXPECT_EQ(next_error(), "No call call_8 waits for an answer. []");
  write(R"({"tool_call_id": "call_9", "granted": true})"
        "\n");
  EXPECT_EQ(next_error(), "No call call_9 waits for an answer. []");
  publish(ToolEvent::Kind::kStart, "call_1");
  write(R"({"tool_call_id": "call_1", "granted": true})"
        "\n");
  publish(ToolEvent::Kind::kEnd, "call_1");
  EXPECT_EQ(next_error(), "No call call_1 waits for an answer. []");
}

TEST_F(StdinAnswersTest, AnswersMayArriveBeforeTheCallsOfAResumedSession) {
  write(R"({"tool_call_id": "call_1", "granted": true})"
        "\n"
        R"({"tool_call_id": "call_2", "granted": false, "reason": "no"})"
        "\n");
  to_ = UniqueFd();
  publish(ToolEvent::Kind::kError, "call_0");
  publish(ToolEvent::Kind::kStart, "call_1");
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  publish(ToolEvent::Kind::kStart, "call_2");
  EXPECT_TRUE(ask_approval("call_1").get().granted);
  EXPECT_EQ(ask_approval("call_2").get().reason, "no");
  for (const auto& event : events_.after(0).events) EXPECT_NE(event->name(), "stream:error");
}

TEST_F(StdinAnswersTest, ALateAnswerToASettledQuestionIsNotKeptForTheNextOne) {
  auto first = ask_approval("call_1");
  std::stop_source covered;
  publish(ToolEvent::Kind::kStart, "call_2");
  publish(ToolEvent::Kind::kPermissionRequired, "call_2");
  auto second = std::async(std::launch::async, [&] {
    return answers_->ask(PermissionRequest{.call_id = "call_2", .tool = "write"}, covered.get_token());
  });
  write(R"({"tool_call_id": "call_1", "granted": true, "scope": "session"})"
        "\n");
  EXPECT_TRUE(first.get().granted);
  covered.request_stop();
  EXPECT_FALSE(second.get().asked);
  publish(ToolEvent::Kind::kPermissionGranted, "call_2");
  publish(ToolEvent::Kind::kRunning, "call_2");
  write(R"({"tool_call_id": "call_2", "granted": true})"
        "\n");
  EXPECT_EQ(next_error(), "Call call_2 was already answered. []");
}

TEST_F(StdinAnswersTest, AQuestionAcceptsStringsOrARefusal) {
  publish(ToolEvent::Kind::kStart, "call_1");
  publish(ToolEvent::Kind::kQuestionRequired, "call_1");
  auto asked = std::async(std::launch::async, [this] {
    return answers_->ask(Question{.call_id = "call_1", .text = "Which?"}, {});
  });
  write(R"({"tool_call_id": "call_1", "answers": [1]})"
        "\n");
  EXPECT_EQ(next_error(), R"("answers" in the answer to call_1 is not a list of strings: [1] ["call_1"])");
  write(R"({"tool_call_id": "call_1", "granted": true})"
        "\n");
  EXPECT_EQ(next_error(), R"(The answer to call_1 has no "answers". ["call_1"])");
  write(R"({"tool_call_id": "call_1", "granted": false})"
        "\n");
  EXPECT_EQ(asked.get()->kind, Reply::Kind::kDeclined);
}

TEST_F(StdinAnswersTest, TheLastLineNeedsNoLineBreak) {
  auto asked = ask_approval("call_1");
  write(R"({"tool_call_id": "call_1", "granted": true})");
  to_ = UniqueFd();
  EXPECT_TRUE(asked.get().granted);
  EXPECT_FALSE(ask_approval("call_2").get().asked);
}

}  // namespace
}  // namespace helve::chat
