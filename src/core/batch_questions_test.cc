// The questions of a batch: all published first, answered in any order.
#include "core/batch_questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "base/strings.h"
#include "core/testing.h"

namespace helve::core {
namespace {

using ::testing::ElementsAre;

// Answers by rule, one question after the other or all at once.
class RulingUser final : public Approver {
 public:
  using Rule = std::function<Approval(const PermissionRequest&, const std::stop_token&)>;
  RulingUser(bool together, Rule rule) : together_(together), rule_(std::move(rule)) {}
  Approval ask(const PermissionRequest& request, const std::stop_token& stop) override {
    return rule_(request, stop);
  }
  bool asks_together() const override { return together_; }

 private:
  const bool together_;
  const Rule rule_;
};

class BatchQuestionsTest : public testing::RuntimeFixture {
 protected:
  BatchQuestionsTest() : RuntimeFixture(/*built_in_tools=*/true) { options_.settings.mode = Mode::kAsk; }

  void answer(bool together, RulingUser::Rule rule) {
    options_.approver = std::make_shared<RulingUser>(together, std::move(rule));
  }
  // Makes the calls c1, c2, …: each writes a file, or the same one.
  std::vector<Answer> write_files(std::size_t count, bool same = false) {
    std::vector<Call> calls;
    for (std::size_t i = 1; i <= count; ++i)
      calls.push_back(
          {.tool = "write",
           .arguments = JsonObject{{"path", same ? "one.txt" : concat("f", i, ".txt")}, {"content", "x\n"}},
           .id = concat("c", i)});
    return runtime().call_many(std::move(calls));
  }
  // "permission-required c1 1/2", "permission-granted c1", …
  std::vector<std::string> decisions() {
    std::vector<std::string> lines;
    for (const auto& event : runtime().default_session().events().after(0).events) {
      const Json json = event->to_json();
      const Json* kind = json.find("tool_call");
      if (kind == nullptr || !kind->as_string().starts_with("permission-")) continue;
      std::string line = concat(kind->as_string(), " ", json.find("tool_call_id")->as_string());
      if (const Json* request = json.find("permission_request"))
        line += concat(" ", to_text(*request->find("index")), "/", to_text(*request->find("count")));
      lines.push_back(std::move(line));
    }
    return lines;
  }
  void wait_for(std::string_view line) {
    const auto is_there = [&] {
      const auto lines = decisions();
      return std::ranges::find(lines, line) != lines.end();
    };
    while (!is_there()) std::this_thread::yield();
  }
};

TEST_F(BatchQuestionsTest, AllArePublishedBeforeTheFirstIsAsked) {
  std::vector<std::string> at_first;
  answer(false, [&](const PermissionRequest& request, const auto&) {
    if (request.call_id == "c1") at_first = decisions();
    return Approval{.granted = true};
  });
  for (const Answer& each : write_files(3)) EXPECT_TRUE(each.ok());
  EXPECT_THAT(at_first, ElementsAre("permission-required c1 1/3", "permission-required c2 2/3",
                                    "permission-required c3 3/3"));
}

TEST_F(BatchQuestionsTest, OnlyCallsThatNeedApprovalAreCounted) {
  directory_.write("workspace/a.txt", "a\n");
  answer(false, [&](const auto&, const auto&) { return Approval{.granted = true}; });
  const auto write = [](std::string_view path) {
    return Call{
        .tool = "write", .arguments = JsonObject{{"path", path}, {"content", ""}}, .id = std::string(path)};
  };
  static_cast<void>(runtime().call_many({write("1"),
                                         {.tool = "read", .arguments = JsonObject{{"path", "a.txt"}}},
                                         {.tool = "nope"},
                                         write("2")}));
  EXPECT_THAT(decisions(), ElementsAre("permission-required 1 1/2", "permission-required 2 2/2",
                                       "permission-granted 1", "permission-granted 2"));
}

TEST_F(BatchQuestionsTest, TheUserMayAnswerInAnyOrder) {
  answer(true, [&](const PermissionRequest& request, const auto&) {
    if (request.call_id == "c2") wait_for("permission-granted c3");
    if (request.call_id == "c1") wait_for("permission-denied c2");
    return Approval{.granted = request.call_id != "c2", .reason = "not that"};
  });
  const auto answers = write_files(3);
  EXPECT_TRUE(answers[0].ok());
  ASSERT_FALSE(answers[1].ok());
  EXPECT_EQ(answers[1].result.error().message, "User denied the request. Reason: not that");
  EXPECT_TRUE(answers[2].ok());
  EXPECT_THAT(decisions(), ElementsAre("permission-required c1 1/3", "permission-required c2 2/3",
                                       "permission-required c3 3/3", "permission-granted c3",
                                       "permission-denied c2", "permission-granted c1"));
}

TEST_F(BatchQuestionsTest, AnApprovalForTheSessionSettlesWhatItCovers) {
  std::vector<std::string> asked;
  answer(false, [&](const PermissionRequest& request, const auto&) {
    asked.push_back(request.call_id);
    return Approval{.granted = true, .scope = ApprovalScope::kSession};
  });
  for (const Answer& each : write_files(3, /*same=*/true)) EXPECT_TRUE(each.ok());
  EXPECT_THAT(asked, ElementsAre("c1"));
  EXPECT_THAT(decisions(), ElementsAre("permission-required c1 1/3", "permission-required c2 2/3",
                                       "permission-required c3 3/3", "permission-granted c1",
                                       "permission-granted c2", "permission-granted c3"));
}

TEST_F(BatchQuestionsTest, AnApprovalForTheSessionWithdrawsOpenQuestions) {
  answer(true, [&](const PermissionRequest& request, const std::stop_token& stop) {
    if (request.call_id == "c2") return Approval{.granted = true, .scope = ApprovalScope::kSession};
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait(lock, stop, [] { return false; });
    return Approval{.granted = false, .asked = false};
  });
  for (const Answer& each : write_files(3, /*same=*/true)) EXPECT_TRUE(each.ok());
  const auto lines = decisions();
  EXPECT_EQ(std::ranges::count_if(
                lines, [](const std::string& line) { return line.starts_with("permission-granted "); }),
            3);
}

TEST_F(BatchQuestionsTest, ARefusalCountsAlsoWhenAnotherAnswerCoversTheCall) {
  std::atomic<bool> is_open = false;
  answer(true, [&](const PermissionRequest& request, const std::stop_token&) {
    if (request.call_id == "c1") {
      is_open.wait(false);
      return Approval{.granted = true, .scope = ApprovalScope::kSession};
    }
    is_open = true;
    is_open.notify_all();
    wait_for("permission-granted c1");
    return Approval{.granted = false, .reason = "once is enough"};
  });
  const auto answers = write_files(2, /*same=*/true);
  EXPECT_TRUE(answers[0].ok());
  ASSERT_FALSE(answers[1].ok());
  EXPECT_EQ(answers[1].result.error().message, "User denied the request. Reason: once is enough");
}

TEST_F(BatchQuestionsTest, AnApproverThatThrowsFailsOnlyItsCall) {
  for (const bool together : {false, true}) {
    restart();
    answer(together, [](const PermissionRequest& request, const auto&) -> Approval {
      if (request.call_id == "c2") throw std::runtime_error("The window is gone.");
      return {.granted = true};
    });
    const auto answers = write_files(3);
    EXPECT_TRUE(answers[0].ok());
    ASSERT_FALSE(answers[1].ok());
    EXPECT_EQ(answers[1].result.error().code, ErrorCode::kExecutionFailed);
    EXPECT_TRUE(answers[2].ok());
  }
}

TEST_F(BatchQuestionsTest, ALongBatchIsAskedWithBoundedThreads) {
  std::atomic<int> at_once = 0;
  std::atomic<int> most = 0;
  answer(true, [&](const auto&, const auto&) {
    const int now = ++at_once;
    for (int known = most; known < now && !most.compare_exchange_weak(known, now);) {
    }
    --at_once;
    return Approval{.granted = true};
  });
  for (const Answer& each : write_files(200)) EXPECT_TRUE(each.ok());
  EXPECT_LE(most, 64);
}

}  // namespace
}  // namespace helve::core
