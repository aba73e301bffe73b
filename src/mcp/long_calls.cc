#include "mcp/long_calls.h"

namespace helve::mcp {

void LongCalls::add(const std::shared_ptr<Call>& call) {
  const std::lock_guard lock(mutex_);
  waiting_.emplace_back(Clock::now() + after_, call);
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  added_.notify_one();
}

void LongCalls::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    // Those that have ended in time are most of them, and need no waking up for.
    std::erase_if(waiting_, [](const auto& entry) { return entry.second.expired(); });
    if (waiting_.empty()) {
      added_.wait(lock, stop, [&] { return !waiting_.empty(); });
      continue;
    }
    const auto due = waiting_.front().first;
    if (Clock::now() < due) {
      added_.wait_until(lock, stop, due, [] { return false; });
      continue;
    }
    const auto call = waiting_.front().second.lock();
    waiting_.pop_front();
    lock.unlock();
    if (call) call->become_task();
    lock.lock();
  }
}

}  // namespace helve::mcp
