// What is kept for clients of the modern era, which have no sessions: one seat for all of the same name.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "mcp/client.h"

namespace helve::mcp {

// Owned by the endpoint. May be used from all threads.
class ModernSeats {
 public:
  [[nodiscard]] std::shared_ptr<SeatHolder> find(const std::string& name);
  // Those that no request has used for so long, and in which nothing goes on.
  void forget_idle(std::chrono::milliseconds idle);
  [[nodiscard]] std::size_t count() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    std::shared_ptr<SeatHolder> seat = std::make_shared<SeatHolder>();
    Clock::time_point last_used = {};
  };

  mutable std::mutex mutex_;
  std::map<std::string, Entry> seats_;
};

}  // namespace helve::mcp
