// When a request is made again, and after which pause; as the official clients of both providers do it.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string_view>

#include "http/message.h"

namespace helve::model {

struct RetryRules {
  int more_tries = 2;
  std::chrono::milliseconds first_pause{500};
  std::chrono::milliseconds longest_pause{8'000};
  // A server that asks for more patience than this is not asked again: a person should know.
  std::chrono::milliseconds longest_asked{60'000};
};

// Whether a status says that the same request may succeed in a moment.
[[nodiscard]] bool is_passing_status(int status);
// What the server wishes (x-should-retry), if it says so; that goes before any status.
[[nodiscard]] std::optional<bool> wishes_retry(const http::Headers& headers);
// The pause that the server asks for: retry-after-ms, retry-after in seconds or as a date.
[[nodiscard]] std::optional<std::chrono::milliseconds> asked_pause(const http::Headers& headers,
                                                                   std::chrono::system_clock::time_point now);
// Before the second try (`tries_made` is 1), the third, …; `chance` between 0 and 1 spreads clients.
[[nodiscard]] std::chrono::milliseconds pause_after(int tries_made, const RetryRules& rules, double chance);

// False when the stop came first.
[[nodiscard]] bool wait_for(std::chrono::milliseconds pause, const std::stop_token& stop);

// "Sun, 06 Nov 1994 08:49:37 GMT"
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> parse_http_date(std::string_view text);

}  // namespace helve::model
