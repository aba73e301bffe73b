#include "cli/terminal_asker.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include <future>
#include <thread>

#include "base/file_io.h"
#include "cli/terminal_people.h"

namespace helve::cli {
namespace {

using Values = std::vector<std::string>;

// A question at a pseudo-terminal, and the person at its other side.
class AskerTest : public ::testing::Test {
 protected:
  AskerTest() {
    int master = -1;
    int slave = -1;
    if (::openpty(&master, &slave, nullptr, nullptr, nullptr) == 0) {
      person_ = UniqueFd(master);
      terminal_ = UniqueFd(slave);
    }
  }

  // Answers when the question is there.
  Expected<Reply> ask(const Question& question, std::string_view typed) {
    auto asked =
        std::async(std::launch::async, [&] { return ask_at(terminal_.get(), question, stop_.get_token()); });
    if (!typed.empty()) {
      read_until(": ");
      EXPECT_TRUE(write_all(person_.get(), typed));
    }
    return asked.get();
  }

  void read_until(std::string_view text) {
    while (!shown_.contains(text)) {
      pollfd ready{person_.get(), POLLIN, 0};
      ASSERT_GT(::poll(&ready, 1, 30'000), 0) << shown_;
      char piece[512];
      const ssize_t count = ::read(person_.get(), piece, sizeof piece);
      ASSERT_GT(count, 0);
      shown_.append(piece, static_cast<std::size_t>(count));
    }
  }

  UniqueFd person_;
  UniqueFd terminal_;
  std::stop_source stop_;
  std::string shown_;
};

Values values(const Expected<Reply>& reply) { return reply ? reply->values : Values{reply.error().message}; }

TEST_F(AskerTest, ANumberIsAChoiceAndWordsAreWords) {
  const Question question{
      .text = "Which\x1b[2J?", .choices = {{"red", "Red one"}, {"blue", ""}}, .suggested = {"blue"}};
  EXPECT_EQ(values(ask(question, "1\n")), Values{"red"});
  EXPECT_NE(shown_.find("1) Red one\r\n  2) blue\r\nNumber, or other words [blue]: "), std::string::npos)
      << shown_;
  EXPECT_EQ(shown_.find('\x1b'), std::string::npos);
  shown_.clear();
  EXPECT_EQ(values(ask(question, "\n")), Values{"blue"});
  shown_.clear();
  EXPECT_EQ(values(ask(question, "green\n")), Values{"green"});
  shown_.clear();
  EXPECT_EQ(values(ask(question, "3\n")), Values{"3"});
}

TEST_F(AskerTest, SeveralChoicesHaveCommasBetweenThem) {
  const Question question{.text = "Which?", .choices = {{"a", ""}, {"b", ""}, {"c", ""}}, .several = true};
  EXPECT_EQ(values(ask(question, "1, 3,more\n")), (Values{"a", "c", "more"}));
}

TEST_F(AskerTest, AsksAgainWhenOnlyAChoiceWillDo) {
  const Question question{.text = "Which?", .choices = {{"a", ""}, {"b", ""}}, .own_words = false};
  auto asked = std::async(std::launch::async, [&] { return ask_at(terminal_.get(), question, {}); });
  read_until("other words: ");
  ASSERT_TRUE(write_all(person_.get(), "x\n"));
  read_until("x is none of the choices; 1 to 2 are. Again: ");
  ASSERT_TRUE(write_all(person_.get(), "2\n"));
  EXPECT_EQ(values(asked.get()), Values{"b"});
}

TEST_F(AskerTest, PatienceEndsAndSoDoesAStop) {
  const auto late = ask({.text = "Well?", .patience = std::chrono::milliseconds(1)}, "");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);
  stop_.request_stop();
  const auto stopped = ask({.text = "Well?"}, "");
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
}

TEST_F(AskerTest, EndOfInputIsNoAnswer) {
  const auto reply = ask({.text = "Well?"}, "\x04");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->kind, Reply::Kind::kDismissed);
}

// Asks on a thread of its own and waits until it is there to be seen.
std::shared_ptr<const Asked> wait_for_current(const TerminalPeople& people) {
  for (int tries = 0; tries < 30'000; ++tries) {
    if (auto asked = people.current()) return asked;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return nullptr;
}

TEST(TerminalPeople, OneThingAtATimeAndEachHasItsOwnAnswer) {
  TerminalPeople people([] {});
  auto first =
      std::async(std::launch::async, [&] { return people.ask(PermissionRequest{.call_id = "1"}, {}); });
  const auto one = wait_for_current(people);
  ASSERT_NE(one, nullptr);
  auto second = std::async(std::launch::async, [&] { return people.ask(Question{.text = "Q"}, {}); });
  EXPECT_EQ(people.current(), one);
  people.answer(one, Approval{.granted = true});
  EXPECT_TRUE(first.get().granted);
  const auto two = wait_for_current(people);
  ASSERT_NE(two, nullptr);
  ASSERT_NE(two->question(), nullptr);
  people.answer(one, Approval{.granted = false});  // too late, and for nothing that is asked
  people.answer(two, Reply{.kind = Reply::Kind::kAnswered, .values = {"x"}});
  EXPECT_EQ(values(second.get()), Values{"x"});
  EXPECT_EQ(people.current(), nullptr);
}

TEST(TerminalPeople, WhatIsInterruptedOrLateIsNoLongerAsked) {
  TerminalPeople people([] {});
  std::stop_source stop;
  auto asked =
      std::async(std::launch::async, [&] { return people.ask(PermissionRequest{}, stop.get_token()); });
  ASSERT_NE(wait_for_current(people), nullptr);
  stop.request_stop();
  EXPECT_FALSE(asked.get().granted);
  EXPECT_EQ(people.current(), nullptr);
  const auto late = people.ask(Question{.text = "Q", .patience = std::chrono::milliseconds(1)}, {});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kTimeout);
  const auto form = people.ask(Question{.form = JsonObject{{"type", "object"}}}, {});
  ASSERT_FALSE(form);
  EXPECT_EQ(form.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace helve::cli
