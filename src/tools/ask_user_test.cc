// The limits of waiting for a user's answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <future>

#include "core/testing.h"

namespace helve::tools {
namespace {

// Waits for a stop, whatever the question's own limit says.
class SilentAsker final : public Asker {
 public:
  Expected<Reply> ask(const Question& question, const std::stop_token& stop) override {
    has_limit = question.patience.has_value();
    ++asked;
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait(lock, stop, [] { return false; });
    return fail(ErrorCode::kCancelled, "The question was interrupted.");
  }
  std::atomic<int> asked = 0;
  std::atomic<bool> has_limit = false;
};

class AskUserTest : public testing::RuntimeFixture {
 protected:
  AskUserTest() : RuntimeFixture(true) { options_.asker = asker_; }

  std::future<Answer> ask(const std::shared_ptr<Session>& session, Json arguments, std::stop_token stop) {
    arguments["question"] = "Which one?";
    return std::async(std::launch::async, [this, session, arguments, stop] {
      return runtime().call(session, {.tool = "ask_user", .arguments = arguments, .stop = stop});
    });
  }

  std::shared_ptr<SilentAsker> asker_ = std::make_shared<SilentAsker>();
};

TEST_F(AskUserTest, AQuestionWithoutAnAnswerDoesNotOutliveItsLimitOrBlockTheNext) {
  const auto session = runtime().open_session({.asker = asker_}).value();
  for (int n = 1; n <= 2; ++n) {
    std::stop_source give_up;
    auto answer = ask(session, JsonObject{{"timeoutMs", 100}}, give_up.get_token());
    EXPECT_EQ(answer.wait_for(std::chrono::seconds(20)), std::future_status::ready);
    give_up.request_stop();
    const Answer ended = answer.get();
    ASSERT_FALSE(ended.ok());
    EXPECT_EQ(ended.result.error().code, ErrorCode::kTimeout) << ended.result.error().message;
    EXPECT_EQ(asker_->asked, n) << "the question was asked";
  }
}

TEST_F(AskUserTest, NoQuestionIsWithoutALimit) {
  const auto session = runtime().open_session({.asker = asker_}).value();
  std::stop_source cancelled;
  auto answer = ask(session, JsonObject(), cancelled.get_token());
  while (asker_->asked == 0) std::this_thread::yield();
  EXPECT_TRUE(asker_->has_limit);
  cancelled.request_stop();
  EXPECT_EQ(answer.get().result.error().code, ErrorCode::kCancelled);
}

TEST_F(AskUserTest, TheQuestionOfOneSessionDoesNotBlockAnotherSession) {
  const auto first = runtime().open_session({.asker = asker_}).value();
  const auto second = runtime().open_session({.asker = asker_}).value();
  std::stop_source cancelled;
  auto one = ask(first, JsonObject{{"timeoutMs", 60'000}}, cancelled.get_token());
  while (asker_->asked == 0) std::this_thread::yield();
  auto other = ask(second, JsonObject{{"timeoutMs", 100}}, cancelled.get_token());
  EXPECT_EQ(other.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_EQ(asker_->asked, 2) << "both questions are open";
  cancelled.request_stop();
  EXPECT_EQ(one.get().result.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace helve::tools
