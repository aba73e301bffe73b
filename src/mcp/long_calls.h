// Sees to it that calls which take long become tasks, so that nobody has to wait on an open request.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "mcp/call.h"

namespace helve::mcp {

// Owned by the server. May be used from all threads; its own thread starts with the first call.
class LongCalls {
 public:
  explicit LongCalls(std::chrono::milliseconds after) : after_(after) {}

  void add(const std::shared_ptr<Call>& call);

 private:
  using Clock = std::chrono::steady_clock;
  void run(const std::stop_token& stop);

  const std::chrono::milliseconds after_;
  std::mutex mutex_;
  std::condition_variable_any added_;
  std::deque<std::pair<Clock::time_point, std::weak_ptr<Call>>> waiting_;
  std::jthread thread_;
};

}  // namespace helve::mcp
