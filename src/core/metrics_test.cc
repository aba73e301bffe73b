#include "core/metrics.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/strings.h"

namespace helve::core {
namespace {

using std::chrono::milliseconds;

Json number(const Metrics& metrics, std::string_view tool, std::string_view key) {
  const Json all = metrics.to_json();
  const Json* const entry = all.find(tool);
  return entry != nullptr ? *entry->find(key) : Json();
}

TEST(Metrics, CountsOutcomesAndTimes) {
  Metrics metrics;
  metrics.count("read", {}, milliseconds(1));
  metrics.count("read", {}, milliseconds(3));
  metrics.count("read", ErrorCode::kOutcomeUnknown, milliseconds(70'000));
  EXPECT_EQ(number(metrics, "read", "calls"), Json(3));
  EXPECT_EQ(number(metrics, "read", "outcomes"), Json(JsonObject{{"ok", 2}, {"OUTCOME_UNKNOWN", 1}}));
  EXPECT_EQ(number(metrics, "read", "totalMs"), Json(70'004));
  EXPECT_EQ(number(metrics, "read", "longestMs"), Json(70'000));
  const Json durations = number(metrics, "read", "durations");
  EXPECT_EQ(durations.as_array().front(), Json(JsonObject{{"upToMs", 1}, {"calls", 1}}))
      << "a bound belongs to what it bounds";
  EXPECT_EQ(durations.as_array()[1], Json(JsonObject{{"upToMs", 5}, {"calls", 2}}));
  EXPECT_EQ(durations.as_array().back(), Json(JsonObject{{"upToMs", 60'000}, {"calls", 2}}));
}

TEST(Metrics, ManyNamesBecomeOne) {
  Metrics metrics;
  for (std::size_t i = 0; i < Metrics::kMostTools + 700; ++i) metrics.count(concat("t", i), {}, {});
  EXPECT_EQ(metrics.to_json().as_object().size(), Metrics::kMostTools + 1);
  EXPECT_EQ(number(metrics, Metrics::kOthers, "calls"), Json(700));
}

TEST(Metrics, NothingIsLostBetweenThreads) {
  Metrics metrics;
  constexpr int kEach = 5'000;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int n = 0; n < kEach; ++n) metrics.count(concat("t", n % 40), {}, milliseconds(n % 7));
      });
    for (int i = 0; i < 20; ++i) static_cast<void>(metrics.to_json());
  }
  const Json all = metrics.to_json();
  std::int64_t calls = 0;
  std::int64_t up_to_the_last = 0;
  for (const auto& [name, entry] : all.as_object()) {
    calls += entry.find("calls")->as_integer();
    up_to_the_last += entry.find("durations")->as_array().back().find("calls")->as_integer();
  }
  EXPECT_EQ(all.as_object().size(), 40U);
  EXPECT_EQ(calls, 4 * kEach);
  EXPECT_EQ(up_to_the_last, 4 * kEach);
}

}  // namespace
}  // namespace helve::core
