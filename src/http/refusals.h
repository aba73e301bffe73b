// Requests that were refused before anybody handled them: counted, and told in the log.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>

#include "helve/log.h"
#include "http/server.h"

namespace helve::http {

// May be used from all threads. The logger must outlive it.
class Refusals {
 public:
  explicit Refusals(Logger& logger) : logger_(logger) {}

  // Logged as well, but not more than one in a second, so that strangers cannot fill the disk.
  void add(const Response& answer, const Refused& refused = {});
  // How many there were of each status.
  [[nodiscard]] std::map<int, std::uint64_t> counts() const;

 private:
  using Clock = std::chrono::steady_clock;

  Logger& logger_;
  mutable std::mutex mutex_;  // guards the rest
  std::map<int, std::uint64_t> counts_;
  std::optional<Clock::time_point> last_logged_;
  std::uint64_t not_logged_ = 0;
};

}  // namespace helve::http
