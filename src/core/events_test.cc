#include "helve/events.h"

#include <gtest/gtest.h>

#include <thread>

namespace helve::core {
namespace {

TEST(Events, HaveTheJsonOfTheStream) {
  EventStream stream("ses_1");
  stream.publish(TextEvent{TextEvent::Kind::kDelta, "Hello"});
  stream.publish(ToolEvent{.kind = ToolEvent::Kind::kPermissionRequired,
                           .call_id = "call_1",
                           .tool = "exec",
                           .permission_request = JsonObject{{"toolName", "exec"}}});
  stream.publish(
      ToolEvent{.kind = ToolEvent::Kind::kEnd,
                .call_id = "call_1",
                .tool = "exec",
                .response = "done",
                .answer = std::make_shared<const Answer>(Answer{.result = Output{.summary = "done"}})});
  stream.publish(ErrorEvent{"lost"});
  stream.publish(EndEvent{"done"});
  std::vector<std::string> lines;
  for (const auto& event : stream.after(0).events) lines.push_back(to_text(event->to_json()));
  EXPECT_EQ(
      lines,
      (std::vector<std::string>{
          R"({"event":"stream:response","eventId":"ses_1-1","seq":1,"stream_kind":"delta","content":"Hello"})",
          R"({"event":"stream:response","eventId":"ses_1-2","seq":2,"tool_call":"permission-required","tool_call_id":"call_1","tool_call_name":"exec","tool_call_server_name":"helve","permission_request":{"toolName":"exec"}})",
          R"({"event":"stream:response","eventId":"ses_1-3","seq":3,"tool_call":"end","tool_call_id":"call_1","tool_call_name":"exec","tool_call_server_name":"helve","tool_call_response":"done","tool_call_response_raw":{"toolResult":{"ok":true,"summary":"done","content":"","data":{},"meta":{"truncated":false,"executionTimeMs":0,"affectedPaths":[]}}}})",
          R"({"event":"stream:error","eventId":"ses_1-4","seq":4,"error":"lost"})",
          R"({"event":"stream:end","eventId":"ses_1-5","seq":5,"reason":"done"})",
      }));
}

TEST(Events, CanBeResumedFromAnySeq) {
  EventStream stream("s");
  for (int i = 0; i < 10; ++i) stream.publish(TextEvent{TextEvent::Kind::kDelta, std::to_string(i)});
  const auto batch = stream.after(7);
  ASSERT_EQ(batch.events.size(), 3U);
  EXPECT_EQ(batch.events[0]->seq, 8U);
  EXPECT_EQ(batch.missed, 0U);
  EXPECT_TRUE(stream.after(10).events.empty());
  EXPECT_EQ(stream.after(0, 4).events.size(), 4U);
}

TEST(Events, KeepBoundedMemoryAndTellWhatWasMissed) {
  EventStream by_count("s", {.events = 5, .bytes = 1 << 20});
  for (int i = 0; i < 12; ++i) by_count.publish(TextEvent{});
  const auto batch = by_count.after(2);
  EXPECT_EQ(batch.events.size(), 5U);
  EXPECT_EQ(batch.events[0]->seq, 8U);
  EXPECT_EQ(batch.missed, 5U);

  EventStream by_bytes("s", {.events = 1000, .bytes = 10'000});
  for (int i = 0; i < 100; ++i) by_bytes.publish(TextEvent{TextEvent::Kind::kDelta, std::string(3000, 'x')});
  EXPECT_LE(by_bytes.after(0).events.size(), 3U);
  by_bytes.publish(TextEvent{TextEvent::Kind::kDelta, std::string(50'000, 'x')});
  EXPECT_EQ(by_bytes.after(100).events.size(), 1U);
}

TEST(Events, SlowReadersDoNotHoldUpTheProducer) {
  EventStream stream("s", {.events = 100, .bytes = 1 << 20});
  constexpr int kEvents = 5000;
  std::vector<std::jthread> readers;
  std::vector<std::uint64_t> seen(3);
  for (std::size_t r = 0; r < seen.size(); ++r)
    readers.emplace_back([&, r](const std::stop_token& stop) {
      std::uint64_t at = 0;
      while (at < kEvents) {
        const auto batch = stream.wait_after(at, stop, std::chrono::seconds(10), 7);
        std::uint64_t expected = at + batch.missed + 1;
        for (const auto& event : batch.events) {
          EXPECT_EQ(event->seq, expected++);
          at = event->seq;
        }
        seen[r] += batch.events.size() + batch.missed;
        if (r == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
  for (int i = 0; i < kEvents; ++i) stream.publish(TextEvent{TextEvent::Kind::kDelta, "x"});
  readers.clear();
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{kEvents, kEvents, kEvents}));
}

TEST(Events, AStreamThatGoesOnCountsFromWhereItWas) {
  EventStream stream("s", {}, 101);
  EXPECT_TRUE(stream.after(0).events.empty());
  EXPECT_EQ(stream.last_seq(), 100u);
  EXPECT_EQ(stream.publish(EndEvent{"done", JsonObject{{"n", 1}}}), 101u);
  const auto batch = stream.after(100);
  ASSERT_EQ(batch.events.size(), 1u);
  EXPECT_EQ(batch.missed, 0u);
  EXPECT_EQ(to_text(batch.events[0]->to_json()),
            R"({"event":"stream:end","eventId":"s-101","seq":101,"reason":"done","details":{"n":1}})");
}

TEST(Events, AStreamThatGoesOnWaitsForItsFirstEvent) {
  EventStream stream("s", {}, 101);
  std::jthread publisher([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stream.publish(TextEvent{TextEvent::Kind::kDelta, "x"});
  });
  EXPECT_EQ(stream.wait_after(0, {}, std::chrono::hours(1)).events.size(), 1u);
}

TEST(Events, WaitingEndsOnStopAndTimeout) {
  EventStream stream("s");
  EXPECT_TRUE(stream.wait_after(0, {}, std::chrono::milliseconds(1)).events.empty());
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_TRUE(stream.wait_after(0, stop.get_token(), std::chrono::hours(1)).events.empty());
}

}  // namespace
}  // namespace helve::core
