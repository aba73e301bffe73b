#include "search/stop_watch.h"

#include <chrono>
#include <system_error>

namespace helve::search {
namespace {

// About a second, if every step is a slow one.
constexpr std::size_t kLong = 100'000'000;
constexpr auto kPause = std::chrono::milliseconds(20);

}  // namespace

void StopWatch::watch_if_long(std::size_t steps) {
  if (steps < kLong) return;
  std::call_once(started_, [this] {
    try {
      thread_ = std::jthread([this](const std::stop_token& done) { watch(done); });
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
      // No thread to be had: the search is asked less often, between its files and hits.
    }
  });
}

void StopWatch::watch(const std::stop_token& done) {
  std::unique_lock lock(mutex_);
  while (!done.stop_requested() && !flag_) {
    ended_.wait_for(lock, done, kPause, [] { return false; });
    if (should_stop_()) flag_ = true;
  }
}

}  // namespace helve::search
