// When to retry a request and how long to wait first, as in the official clients of both providers.
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
  // If the server asks for a longer wait, the error is reported instead of retrying.
  std::chrono::milliseconds longest_retry_after{60'000};
};

// Whether the same request may succeed later.
[[nodiscard]] bool is_transient_status(int status);
// The server's x-should-retry header, if present. It takes precedence over the status.
[[nodiscard]] std::optional<bool> should_retry_header(const http::Headers& headers);
// The requested pause from retry-after-ms or from retry-after, in seconds or as a date.
[[nodiscard]] std::optional<std::chrono::milliseconds> retry_after(const http::Headers& headers,
                                                                   std::chrono::system_clock::time_point now);
// The pause after `tries_made` attempts. `jitter` between 0 and 1 adds jitter.
[[nodiscard]] std::chrono::milliseconds pause_after(int tries_made, const RetryRules& rules, double jitter);

// Returns false if stopped.
[[nodiscard]] bool wait_for(std::chrono::milliseconds pause, const std::stop_token& stop);

// "Sun, 06 Nov 1994 08:49:37 GMT"
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> parse_http_date(std::string_view text);

}  // namespace helve::model
