#include "model/retries.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>

#include "base/strings.h"
#include "base/to_number.h"

namespace helve::model {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

// A non-negative number, with or without a fraction.
std::optional<double> parse_number(std::string_view text) {
  const auto number = to_number<double>(text);
  return number && std::isfinite(*number) && *number >= 0 ? number : std::nullopt;
}

milliseconds bounded(double count) {
  constexpr double kYear = 365.0 * 86'400'000;
  return milliseconds(static_cast<milliseconds::rep>(std::min(count, kYear)));
}

std::optional<unsigned> month_number(std::string_view name) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::size_t found = name.size() == 3 ? kMonths.find(name) : std::string_view::npos;
  if (found == std::string_view::npos || found % 3 != 0) return std::nullopt;
  return static_cast<unsigned>(found / 3 + 1);
}

}  // namespace

bool is_transient_status(int status) {
  return status == 408 || status == 409 || status == 429 || status >= 500;
}

std::optional<bool> should_retry_header(const http::Headers& headers) {
  const std::string* const header = headers.find("x-should-retry");
  if (header == nullptr) return std::nullopt;
  const std::string lower = to_lower(trim(*header));
  if (lower == "true") return true;
  if (lower == "false") return false;
  return std::nullopt;
}

std::optional<milliseconds> retry_after(const http::Headers& headers, system_clock::time_point now) {
  if (const std::string* const exact = headers.find("retry-after-ms"))
    if (const auto count = parse_number(trim(*exact))) return bounded(*count);
  const std::string* const asked = headers.find("retry-after");
  if (asked == nullptr) return std::nullopt;
  if (const auto seconds = parse_number(trim(*asked))) return bounded(*seconds * 1000);
  if (const auto date = parse_http_date(trim(*asked)))
    return std::max(std::chrono::ceil<milliseconds>(*date - now), milliseconds(0));
  return std::nullopt;
}

milliseconds pause_after(int tries_made, const RetryRules& rules, double jitter) {
  milliseconds pause = rules.first_pause;
  for (int i = 1; i < tries_made && pause < rules.longest_pause; ++i) pause *= 2;
  pause = std::min(pause, rules.longest_pause);
  const double share = 1 - 0.25 * std::clamp(jitter, 0.0, 1.0);
  return milliseconds(static_cast<milliseconds::rep>(static_cast<double>(pause.count()) * share));
}

bool wait_for(milliseconds pause, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, pause, [] { return false; });
  return !stop.stop_requested();
}

std::optional<system_clock::time_point> parse_http_date(std::string_view text) {
  const auto words = split(text, ' ');
  if (words.size() != 6 || words[5] != "GMT") return std::nullopt;
  const auto clock = split(words[4], ':');
  const auto day = to_number<unsigned>(words[1]);
  const auto month = month_number(words[2]);
  const auto year = to_number<unsigned>(words[3]);
  if (clock.size() != 3 || !day || !month || !year || *year > 9999) return std::nullopt;
  const auto hour = to_number<unsigned>(clock[0]);
  const auto minute = to_number<unsigned>(clock[1]);
  const auto second = to_number<unsigned>(clock[2]);
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(*month), std::chrono::day(*day)};
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60 || !date.ok())
    return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second);
}

}  // namespace helve::model
