#include "model/retries.h"

#include <gtest/gtest.h>

#include <thread>

namespace helve::model {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

// 2026-11-15T12:00:00Z
const system_clock::time_point kNow =
    std::chrono::sys_days(std::chrono::year(2026) / 11 / 15) + std::chrono::hours(12);

TEST(Retries, DependOnTheStatus) {
  for (const int status : {408, 409, 429, 500, 502, 503, 504, 529}) EXPECT_TRUE(is_transient_status(status));
  for (const int status : {200, 301, 400, 401, 403, 404, 413, 422}) EXPECT_FALSE(is_transient_status(status));
}

TEST(Retries, HonourTheServersRetryHeader) {
  EXPECT_EQ(should_retry_header({{"X-Should-Retry", "true"}}), true);
  EXPECT_EQ(should_retry_header({{"x-should-retry", "False"}}), false);
  EXPECT_EQ(should_retry_header({{"x-should-retry", "perhaps"}}), std::nullopt);
  EXPECT_EQ(should_retry_header({}), std::nullopt);
}

TEST(Retries, ReadTheServersRetryAfter) {
  EXPECT_EQ(retry_after({{"retry-after-ms", "1500"}, {"retry-after", "9"}}, kNow), milliseconds(1500));
  EXPECT_EQ(retry_after({{"Retry-After", "9"}}, kNow), milliseconds(9000));
  EXPECT_EQ(retry_after({{"retry-after", "0.25"}}, kNow), milliseconds(250));
  EXPECT_EQ(retry_after({{"retry-after", "Sun, 15 Nov 2026 12:00:30 GMT"}}, kNow), milliseconds(30'000));
  EXPECT_EQ(retry_after({{"retry-after", "Sun, 15 Nov 2026 11:00:00 GMT"}}, kNow), milliseconds(0));
  EXPECT_EQ(retry_after({{"retry-after-ms", "soon"}, {"retry-after", "2"}}, kNow), milliseconds(2000));
  for (const char* const odd : {"", "-1", "nan", "inf", "soon", "1s", "Sun, 15 Nov 2026"})
    EXPECT_EQ(retry_after({{"retry-after", odd}}, kNow), std::nullopt) << odd;
  EXPECT_GT(*retry_after({{"retry-after", "1e300"}}, kNow), std::chrono::hours(24));
}

TEST(Retries, PausesDoubleUpToALimit) {
  const RetryRules rules;
  EXPECT_EQ(pause_after(1, rules, 0), milliseconds(500));
  EXPECT_EQ(pause_after(2, rules, 0), milliseconds(1000));
  EXPECT_EQ(pause_after(5, rules, 0), milliseconds(8000));
  EXPECT_EQ(pause_after(1000, rules, 0), milliseconds(8000));
  EXPECT_EQ(pause_after(1, rules, 1), milliseconds(375));
  EXPECT_EQ(pause_after(2, rules, 0.5), milliseconds(875));
}

TEST(Retries, ParseHttpDates) {
  EXPECT_EQ(parse_http_date("Sun, 15 Nov 2026 12:00:00 GMT"), kNow);
  for (const char* const odd :
       {"Sun, 31 Feb 2026 12:00:00 GMT", "Sun, 15 Nov 2026 24:00:00 GMT", "Sun, 15 nov 2026 12:00:00 GMT",
        "Sun, 15 anF 2026 12:00:00 GMT", "Sun, 15 Nov 2026 12:00:00 CET", "Sun, 15 Nov 99999 12:00:00 GMT"})
    EXPECT_FALSE(parse_http_date(odd)) << odd;
}

TEST(Retries, StopEndsTheWaitAtOnce) {
  std::stop_source stop;
  std::jthread other([&] { stop.request_stop(); });
  EXPECT_FALSE(wait_for(std::chrono::hours(1), stop.get_token()));
  EXPECT_TRUE(wait_for(milliseconds(1), {}));
}

}  // namespace
}  // namespace helve::model
