// Batches and concurrent calls: their order, cancellation and bounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <thread>

#include "core/dispatcher_testing.h"

namespace helve::core {
namespace {

using namespace std::chrono_literals;

struct Store {
  static constexpr std::string_view kDescription = "Write to a path.";
  static constexpr Effect kEffect = Effect::kWrite;
  static constexpr bool kHonoursStop = true;
  struct Params {
    std::string path;
    int number = 0;
    void describe(ParamSpec& p) {
      p.required("path", path, "Path.");
      p.required("number", number, "Number.");
    }
  };
  std::vector<Resource> resources(const Params& params) const { return {{"file:" + params.path}}; }
  Result execute(Context&, const Params& params) const {
    // Without the order that the dispatcher gives, this is a data race that TSan sees.
    auto& slot = (*slots)[params.path == "a" || params.path == "./x/../a" ? 0 : 1];
    std::this_thread::yield();
    slot.push_back(params.number);
    return Output{.summary = std::to_string(params.number)};
  }
  std::vector<std::vector<int>>* slots;
};

TEST_F(DispatcherTest, ConcurrentCallsKeepOrderPerPathAndAnswersInOrder) {
  std::vector<std::vector<int>> slots(2);
  add(make_tool(Store{&slots}));
  std::vector<Call> calls;
  for (int i = 0; i < 1000; ++i) {
    const char* path = i % 3 == 0 ? "a" : i % 3 == 1 ? "./x/../a" : "b";
    calls.push_back({.tool = "store", .arguments = JsonObject{{"path", path}, {"number", i}}});
  }
  const auto answers = runtime().call_many(std::move(calls));
  ASSERT_EQ(answers.size(), 1000U);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(answers[static_cast<std::size_t>(i)].result->summary, std::to_string(i));
  EXPECT_TRUE(std::ranges::is_sorted(slots[0]));
  EXPECT_TRUE(std::ranges::is_sorted(slots[1]));
  EXPECT_EQ(slots[0].size() + slots[1].size(), 1000U);
}

TEST_F(DispatcherTest, CallsFromManyThreadsOnOnePathDoNotOverlap) {
  std::vector<std::vector<int>> slots(2);
  add(make_tool(Store{&slots}));
  std::vector<std::jthread> clients;
  for (int c = 0; c < 8; ++c)
    clients.emplace_back([&, c] {
      for (int i = 0; i < 50; ++i)
        EXPECT_TRUE(
            runtime_->call({.tool = "store", .arguments = JsonObject{{"path", "a"}, {"number", c}}}).ok());
    });
  clients.clear();
  EXPECT_EQ(slots[0].size(), 400U);
}

TEST_F(DispatcherTest, IndependentCallsOfABatchRunAtOnce) {
  std::latch both(2);
  add(tool("meets", Effect::kRead, [&](Context&, const Json&) {
    both.arrive_and_wait();
    return says("met");
  }));
  for (const Answer& answer : runtime().call_many({{.tool = "meets"}, {.tool = "meets"}}))
    EXPECT_TRUE(answer.ok());
}

TEST_F(DispatcherTest, ABatchStaysWithinItsBudget) {
  options_.settings.results.batch_limit = 10'000;
  add(tool("long", Effect::kRead, [](Context&, const Json&) { return says(std::string(6000, 'x')); }));
  std::size_t total = 0;
  for (const Answer& answer : runtime().call_many(std::vector<Call>(4, Call{.tool = "long"})))
    total += answer.result->content.size();
  EXPECT_LE(total, 6000U + 3 * 2600U);
}

TEST_F(DispatcherTest, ACancelledBatchEnds) {
  std::atomic<int> runs = 0;
  add(tool("change", Effect::kWrite, [&](Context&, const Json&) {
    ++runs;
    return says("changed");
  }));
  std::stop_source stop;
  stop.request_stop();
  const Call cancelled{.tool = "change", .stop = stop.get_token()};
  for (const Answer& answer : runtime().call_many({cancelled, cancelled, cancelled}))
    EXPECT_EQ(answer.result.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(runs, 0);
}

TEST_F(DispatcherTest, WaitingMembersOfABatchCanBeCancelledAndTimeOut) {
  std::latch begun(1);
  std::latch go_on(1);
  add(tool("slow", Effect::kWrite, [&](Context&, const Json&) {
    begun.count_down();
    go_on.wait();
    return says("done");
  }));
  add(tool("change", Effect::kWrite, [](Context&, const Json&) { return says("changed"); }));
  std::stop_source stop;
  std::jthread canceller([&] {
    begun.wait();
    stop.request_stop();
  });
  std::jthread releaser([&] {
    // Both have given up before the first one is through.
    EventStream& events = runtime_->default_session().events();
    std::size_t errors = 0;
    for (std::uint64_t seq = 0; errors < 2;)
      for (const auto& event : events.wait_after(seq, {}, 1s).events) {
        seq = event->seq;
        const auto* step = std::get_if<ToolEvent>(&event->body);
        errors += step != nullptr && step->kind == ToolEvent::Kind::kError ? 1 : 0;
      }
    go_on.count_down();
  });
  const auto answers = runtime().call_many({{.tool = "slow"},
                                            {.tool = "change", .stop = stop.get_token()},
                                            {.tool = "change", .time_limit = 20ms}});
  EXPECT_TRUE(answers[0].ok());
  EXPECT_EQ(answers[1].result.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(answers[2].result.error().code, ErrorCode::kTimeout);
}

}  // namespace
}  // namespace helve::core
