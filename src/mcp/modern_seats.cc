#include "mcp/modern_seats.h"

#include <vector>

namespace helve::mcp {

std::shared_ptr<SeatHolder> ModernSeats::find(const std::string& name) {
  constexpr std::size_t kMostNames = 64;
  const std::lock_guard lock(mutex_);
  auto found = seats_.find(name);
  // Somebody makes names up: one seat for all of those.
  if (found == seats_.end()) found = seats_.try_emplace(seats_.size() < kMostNames ? name : "").first;
  found->second.last_used = Clock::now();
  return found->second.seat;
}

void ModernSeats::forget_idle(std::chrono::milliseconds idle) {
  std::vector<std::shared_ptr<SeatHolder>> forgotten;  // end after the lock: that may take a moment
  const std::lock_guard lock(mutex_);
  for (auto entry = seats_.begin(); entry != seats_.end();) {
    auto& [seat, last_used] = entry->second;
    const bool is_used = seat.use_count() > 1;  // a request holds it
    if (is_used) last_used = Clock::now();
    if (is_used || Clock::now() - last_used <= idle || seat->is_busy()) {
      ++entry;
      continue;
    }
    forgotten.push_back(std::move(seat));
    entry = seats_.erase(entry);
  }
}

std::size_t ModernSeats::count() const {
  const std::lock_guard lock(mutex_);
  return seats_.size();
}

}  // namespace helve::mcp
