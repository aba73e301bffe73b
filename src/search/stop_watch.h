// Lets a search that is deep in one text notice that it should stop.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

#include "search/grep.h"

namespace helve::search {

// For one search, used by all of its threads. Asks `should_stop` from a thread of its own, which is only
// started when a piece of work may take long: most searches are over before a thread has begun.
class StopWatch {
 public:
  explicit StopWatch(const ShouldStop& should_stop) : should_stop_(should_stop) {}
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;

  // True from some time after it should stop, if someone watches.
  [[nodiscard]] const std::atomic<bool>& flag() const { return flag_; }
  // To be called before work that asks nobody: bytes to read times states of the automaton.
  void watch_if_long(std::size_t steps);

 private:
  void watch(const std::stop_token& done);

  const ShouldStop& should_stop_;
  std::atomic<bool> flag_ = false;
  std::once_flag started_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;  // last, so that it ends first
};

}  // namespace helve::search
