// Questions of one process, listed and answered by another.
#include "inbox/inbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/strings.h"
#include "base/test_directory.h"
#include "http/testing.h"
#include "inbox/other_inboxes.h"
#include "inbox/peer.h"
#include "inbox/question_feed.h"
#include "inbox/shared_approver.h"

namespace helve::inbox {
namespace {

using namespace std::chrono_literals;

// A client that says yes or no after a while, or as soon as it is stopped.
class Client final : public Approver {
 public:
  Client(std::chrono::milliseconds delay, Approval approval)
      : delay_(delay), approval_(std::move(approval)) {}
  bool can_ask(const PermissionRequest& /*request*/) override { return approval_.asked; }
  Approval ask(const PermissionRequest& /*request*/, const std::stop_token& stop) override {
    const auto until = std::chrono::steady_clock::now() + delay_;
    while (std::chrono::steady_clock::now() < until)
      if (stop.stop_requested()) {
        was_stopped = true;
        return {};
      } else {
        std::this_thread::sleep_for(5ms);
      }
    return approval_;
  }
  std::atomic<bool> was_stopped = false;

 private:
  const std::chrono::milliseconds delay_;
  const Approval approval_;
};

class InboxTest : public ::testing::Test {
 protected:
  [[nodiscard]] PermissionRequest request() const {
    return {.call_id = "c1",
            .tool = "exec",
            .effect = Effect::kExecute,
            .arguments = JsonObject{{"command", "make \x1b[2J"}},
            .explanation = "To see the tests pass.",
            .reason = "mode ask asks before execute",
            .rules = {"exec(make)"},
            .workspace = "/w"};
  }
  // Asks on another thread.
  std::jthread ask(std::shared_ptr<Approver> client, std::chrono::seconds patience, Approval& answer) {
    return std::jthread([this, client = std::move(client), patience, &answer](const std::stop_token& stop) {
      SharedApprover approver(inbox_, client, patience);
      answer = approver.ask(request(), stop);
    });
  }
  AskingProcess wait_for_question() {
    for (int i = 0; i < 400; ++i) {
      if (auto found = others_.list({}); !found.empty()) return std::move(found.front());
      std::this_thread::sleep_for(10ms);
    }
    ADD_FAILURE() << "no question";
    return {};
  }

  TestDirectory directory_;
  Logger logger_;
  const std::string place_ = directory_.at("approvals");
  std::shared_ptr<Inbox> inbox_ =
      std::make_shared<Inbox>(place_, Asking{.program = "helve mcp", .workspace = "/w"}, logger_);
  const OtherInboxes others_{place_};
};

TEST_F(InboxTest, AnotherProcessSeesTheQuestionAndAnswersIt) {
  Approval answer;
  std::jthread asking = ask(nullptr, 20s, answer);
  const AskingProcess process = wait_for_question();
  EXPECT_EQ(process.asking.program, "helve mcp");
  EXPECT_EQ(process.pid, ::getpid());
  ASSERT_EQ(process.questions.size(), 1U);
  const WaitingQuestion& question = process.questions.front();
  EXPECT_EQ(question.request.tool, "exec");
  EXPECT_EQ(question.request.effect, Effect::kExecute);
  EXPECT_EQ(question.request.arguments, request().arguments);
  EXPECT_EQ(question.request.rules, request().rules);
  EXPECT_EQ(question.hash, hash_of(request()));
  EXPECT_LT(std::chrono::abs(std::chrono::system_clock::now() - question.since), 10s);
  const Approval yes{.granted = true, .scope = ApprovalScope::kSession, .by = "helve approvals"};
  ASSERT_TRUE(others_.answer(process.socket, question, yes, {}));
  asking.join();
  EXPECT_TRUE(answer.granted);
  EXPECT_EQ(answer.scope, ApprovalScope::kSession);
  EXPECT_EQ(answer.by, "helve approvals");
  EXPECT_TRUE(others_.list({}).empty());
  EXPECT_EQ(others_.answer(process.socket, question, yes, {}).error().code, ErrorCode::kConflict);
}

TEST_F(InboxTest, ARefusalCarriesTheReason) {
  Approval answer;
  std::jthread asking = ask(nullptr, 20s, answer);
  const AskingProcess process = wait_for_question();
  ASSERT_TRUE(others_.answer(process.socket, process.questions.front(),
                             {.reason = "use ninja", .by = "helve approvals"}, {}));
  asking.join();
  EXPECT_FALSE(answer.granted);
  EXPECT_TRUE(answer.asked);
  EXPECT_EQ(answer.reason, "use ninja");
}

TEST_F(InboxTest, TheFirstAnswerCountsAndTheOtherQuestionEnds) {
  const auto slow = std::make_shared<Client>(30s, Approval{.granted = true});
  Approval answer;
  std::jthread asking = ask(slow, 0s, answer);
  const AskingProcess process = wait_for_question();
  ASSERT_TRUE(others_.answer(process.socket, process.questions.front(), {.by = "helve approvals"}, {}));
  asking.join();
  EXPECT_FALSE(answer.granted);
  EXPECT_EQ(answer.by, "helve approvals");
  EXPECT_TRUE(slow->was_stopped);

  const auto quick = std::make_shared<Client>(1ms, Approval{.granted = true});
  std::jthread again = ask(quick, 0s, answer);
  again.join();
  EXPECT_TRUE(answer.granted);
  EXPECT_EQ(answer.by, "");
  EXPECT_TRUE(others_.list({}).empty());
}

TEST_F(InboxTest, AnAnswerToAnotherQuestionIsRefused) {
  Approval answer;
  std::jthread asking = ask(nullptr, 20s, answer);
  const AskingProcess process = wait_for_question();
  WaitingQuestion other = process.questions.front();
  other.hash = std::string(64, '0');
  EXPECT_EQ(others_.answer(process.socket, other, {.granted = true}, {}).error().code, ErrorCode::kConflict);
  other.id = "q_none";
  EXPECT_EQ(others_.answer(process.socket, other, {.granted = true}, {}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(wait_for_question().questions.size(), 1U);
  asking.request_stop();
  asking.join();
  EXPECT_FALSE(answer.granted);
}

TEST_F(InboxTest, WithoutAnybodyItWaitsForTheSetTimeAndSaysSo) {
  Approval answer;
  const auto start = std::chrono::steady_clock::now();
  ask(nullptr, 1s, answer).join();
  EXPECT_GE(std::chrono::steady_clock::now() - start, 1s);
  EXPECT_FALSE(answer.granted);
  EXPECT_FALSE(answer.asked);
  EXPECT_EQ(
      answer.reason,
      "the client cannot ask, and nobody answered within 1 s (helve approvals watch shows such questions)");
  EXPECT_FALSE(SharedApprover(inbox_, nullptr, 0s).can_ask(request()));
}

TEST_F(InboxTest, AWatcherIsAskedWithoutALimitAndAKilledOneIsNotWaitedFor) {
  const pid_t watcher = ::fork();
  if (watcher == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const auto mark = WatchMark::set(place_);
    ::pause();
    ::_exit(mark ? 0 : 1);
  }
  for (int i = 0; i < 400 && !inbox_->is_watched(); ++i) std::this_thread::sleep_for(10ms);
  ASSERT_TRUE(inbox_->is_watched());
  EXPECT_TRUE(SharedApprover(inbox_, nullptr, 0s).can_ask(request()));
  Approval answer;
  std::jthread asking = ask(nullptr, 0s, answer);
  wait_for_question();
  std::this_thread::sleep_for(1200ms);
  EXPECT_EQ(others_.list({}).size(), 1U);  // still waits
  ::kill(watcher, SIGKILL);
  ::waitpid(watcher, nullptr, 0);
  asking.join();
  EXPECT_FALSE(answer.asked);
  EXPECT_FALSE(inbox_->is_watched());
}

TEST_F(InboxTest, NoLookRemovesTheMarkOfAWatcherThatStarts) {
  const std::jthread looking([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) static_cast<void>(inbox_->is_watched());
  });
  for (int i = 0; i < 1000; ++i) {
    const auto mark = WatchMark::set(place_);
    ASSERT_TRUE(mark) << mark.error().message;
    ASSERT_TRUE(inbox_->is_watched()) << i;
  }
}

TEST_F(InboxTest, NoLookRemovesTheSocketOfAProcessThatStarts) {
  const std::jthread looking([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) static_cast<void>(others_.sockets());
  });
  Logger logger;
  for (int i = 0; i < 1000; ++i) {
    Inbox starting(place_, {}, logger);
    starting.open();
    ASSERT_EQ(others_.sockets().size(), 1U) << i;
  }
}

TEST_F(InboxTest, OnlyTheUserCanReachTheQuestions) {
  Approval answer;
  std::jthread asking = ask(nullptr, 20s, answer);
  const AskingProcess process = wait_for_question();
  const auto permissions = [](const std::string& path) {
    return std::filesystem::status(path).permissions();
  };
  EXPECT_EQ(permissions(place_), std::filesystem::perms::owner_all);
  EXPECT_EQ(permissions(process.socket),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  // A command that this process has started is not the user.
  const pid_t command = ::fork();
  if (command == 0) {
    const http::RawClient client(process.socket);
    static_cast<void>(client.send("GET /questions HTTP/1.1\r\nHost: a\r\n\r\n"));
    char byte = 0;
    ::_exit(::recv(client.socket(), &byte, 1, 0) > 0 ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(command, &status, 0), command);
  EXPECT_EQ(status, 0);
  asking.request_stop();
  asking.join();
  EXPECT_FALSE(answer.granted);
}

TEST_F(InboxTest, SocketsOfKilledProcessesAreRemoved) {
  std::filesystem::create_directories(place_);
  std::filesystem::permissions(place_, std::filesystem::perms::owner_all);
  const pid_t killed = ::fork();
  if (killed == 0) {
    Logger logger;
    Inbox inbox(place_, {}, logger);
    inbox.open();
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(killed, nullptr, 0);
  const auto files = [&] {
    return std::distance(std::filesystem::directory_iterator(place_), std::filesystem::directory_iterator());
  };
  ASSERT_EQ(files(), 1);
  EXPECT_TRUE(others_.list({}).empty());
  EXPECT_EQ(files(), 0);
}

TEST_F(InboxTest, AFeedTellsOfQuestionsAndTheirEnd) {
  std::mutex mutex;
  std::vector<std::string> seen;
  const auto note = [&](std::string text) {
    const std::lock_guard lock(mutex);
    seen.push_back(std::move(text));
  };
  std::filesystem::create_directories(place_);
  std::filesystem::permissions(place_, std::filesystem::perms::owner_all);
  std::string id;
  const QuestionFeed feed(others_, {.on_asked =
                                        [&](const AskingProcess&, const WaitingQuestion& question) {
                                          id = question.id;
                                          note("asked");
                                        },
                                    .on_settled = [&](const std::string& ended) { note(ended); }});
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    return seen.size();
  };
  Approval answer;
  std::jthread asking = ask(nullptr, 20s, answer);
  for (int i = 0; i < 1000 && count() < 1; ++i) std::this_thread::sleep_for(10ms);
  ASSERT_EQ(count(), 1U);
  asking.request_stop();
  for (int i = 0; i < 1000 && count() < 2; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_THAT(seen, ::testing::ElementsAre("asked", id));
}

TEST(Peer, AProcessWithMoreFiltersMayNotAnswer) {
  EXPECT_TRUE(may_answer(::getppid()));
  EXPECT_FALSE(may_answer(0x3fffffff));
}

}  // namespace
}  // namespace helve::inbox
