#include "chat/tty_questions.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include <future>
#include <thread>

#include "base/file_io.h"
#include "chat/question_queue.h"

namespace helve::chat {
namespace {

using Values = std::vector<std::string>;

// A question on a pseudo-terminal; the test types at the other end.
class AskerTest : public ::testing::Test {
 protected:
  AskerTest() {
    int master = -1;
    int slave = -1;
    if (::openpty(&master, &slave, nullptr, nullptr, nullptr) == 0) {
      user_ = UniqueFd(master);
      terminal_ = UniqueFd(slave);
    }
  }

  // Types the answer once the question is shown.
  Expected<Reply> ask(const Question& question, std::string_view typed) {
    auto asked =
        std::async(std::launch::async, [&] { return ask_at(terminal_.get(), question, stop_.get_token()); });
    if (!typed.empty()) {
      read_until(": ");
      EXPECT_TRUE(write_all(user_.get(), typed));
    }
    return asked.get();
  }

  void read_until(std::string_view text) {
    while (!shown_.contains(text)) {
      pollfd ready{user_.get(), POLLIN, 0};
      ASSERT_GT(::poll(&ready, 1, 30'000), 0) << shown_;
      char piece[512];
      const ssize_t count = ::read(user_.get(), piece, sizeof piece);
      ASSERT_GT(count, 0);
      shown_.append(piece, static_cast<std::size_t>(count));
    }
  }

  UniqueFd user_;
  UniqueFd terminal_;
  std::stop_source stop_;
  std::string shown_;
};

Values values(const Expected<Reply>& reply) { return reply ? reply->values : Values{reply.error().message}; }

TEST_F(AskerTest, NumbersSelectChoicesAndTextIsLiteral) {
  const Question question{
      .text = "Which\x1b[2J?", .choices = {{"red", "Red one"}, {"blue", ""}}, .suggested = {"blue"}};
  EXPECT_EQ(values(ask(question, "1\n")), Values{"red"});
  EXPECT_THAT(shown_, ::testing::HasSubstr("1) Red one\r\n  2) blue\r\nNumber or text [blue]: "));
  EXPECT_THAT(shown_, ::testing::Not(::testing::HasSubstr("\x1b")));
  shown_.clear();
  EXPECT_EQ(values(ask(question, "\n")), Values{"blue"});
  shown_.clear();
  EXPECT_EQ(values(ask(question, "green\n")), Values{"green"});
  shown_.clear();
  EXPECT_EQ(values(ask(question, "3\n")), Values{"3"});
}

TEST_F(AskerTest, SeveralChoicesAreSeparatedByCommas) {
  const Question question{.text = "Which?", .choices = {{"a", ""}, {"b", ""}, {"c", ""}}, .several = true};
  EXPECT_EQ(values(ask(question, "1, 3,more\n")), (Values{"a", "c", "more"}));
}

TEST_F(AskerTest, AsksAgainWhenOnlyChoicesAreAccepted) {
  const Question question{.text = "Which?", .choices = {{"a", ""}, {"b", ""}}, .own_words = false};
  auto asked = std::async(std::launch::async, [&] { return ask_at(terminal_.get(), question, {}); });
  read_until("or text: ");
  ASSERT_TRUE(write_all(user_.get(), "x\n"));
  read_until("x is not one of the choices. Enter a number from 1 to 2. Try again: ");
  ASSERT_TRUE(write_all(user_.get(), "2\n"));
  EXPECT_EQ(values(asked.get()), Values{"b"});
}

TEST_F(AskerTest, TimesOutAndCanBeStopped) {
  const auto late = ask({.text = "Well?", .patience = std::chrono::milliseconds(1)}, "");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);
  stop_.request_stop();
  const auto stopped = ask({.text = "Well?"}, "");
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
}

TEST_F(AskerTest, EndOfInputDismissesTheQuestion) {
  const auto reply = ask({.text = "Well?"}, "\x04");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->kind, Reply::Kind::kDismissed);
}

// Waits until a question is open.
std::shared_ptr<const OpenQuestion> wait_for_current(const QuestionQueue& queue) {
  for (int tries = 0; tries < 30'000; ++tries) {
    if (auto asked = queue.current()) return asked;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return nullptr;
}

TEST(QuestionQueue, ShowsOneQuestionAtATime) {
  QuestionQueue queue([] {});
  auto first =
      std::async(std::launch::async, [&] { return queue.ask(PermissionRequest{.call_id = "1"}, {}); });
  const auto one = wait_for_current(queue);
  ASSERT_NE(one, nullptr);
  auto second = std::async(std::launch::async, [&] { return queue.ask(Question{.text = "Q"}, {}); });
  EXPECT_EQ(queue.current(), one);
  queue.answer(one, Approval{.granted = true});
  EXPECT_TRUE(first.get().granted);
  const auto two = wait_for_current(queue);
  ASSERT_NE(two, nullptr);
  ASSERT_NE(two->question(), nullptr);
  queue.answer(one, Approval{.granted = false});  // ignored: it is already answered
  queue.answer(two, Reply{.kind = Reply::Kind::kAnswered, .values = {"x"}});
  EXPECT_EQ(values(second.get()), Values{"x"});
  EXPECT_EQ(queue.current(), nullptr);
}

TEST(QuestionQueue, DropsInterruptedAndLateQuestions) {
  QuestionQueue queue([] {});
  std::stop_source stop;
  auto asked =
      std::async(std::launch::async, [&] { return queue.ask(PermissionRequest{}, stop.get_token()); });
  ASSERT_NE(wait_for_current(queue), nullptr);
  stop.request_stop();
  EXPECT_FALSE(asked.get().granted);
  EXPECT_EQ(queue.current(), nullptr);
  const auto late = queue.ask(Question{.text = "Q", .patience = std::chrono::milliseconds(1)}, {});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);
  const auto form = queue.ask(Question{.form = JsonObject{{"type", "object"}}}, {});
  ASSERT_FALSE(form);
  EXPECT_EQ(form.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace helve::chat
