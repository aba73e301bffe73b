// A stop for one turn: when the person wants it, or when its time is over.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace helve::agent {

// Owned by the turn. Its token may be used from all threads.
class TurnStop {
 public:
  TurnStop(const std::stop_token& person, std::chrono::steady_clock::time_point deadline)
      : forward_(person, Forward{source_}) {
    if (deadline == std::chrono::steady_clock::time_point::max()) return;
    watch_ = std::jthread([this, deadline](const std::stop_token& over) {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any never;
      never.wait_until(lock, over, deadline, [] { return false; });
      if (!over.stop_requested()) source_.request_stop();
    });
  }
  TurnStop(const TurnStop&) = delete;
  TurnStop& operator=(const TurnStop&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  struct Forward {
    std::stop_source source;
    void operator()() { source.request_stop(); }
  };

  std::stop_source source_;
  std::stop_callback<Forward> forward_;
  std::jthread watch_;  // ends first
};

}  // namespace helve::agent
