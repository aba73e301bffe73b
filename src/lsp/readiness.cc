#include "lsp/readiness.h"

namespace helve::lsp {
namespace {

// Between one piece of work and the next.
constexpr auto kPause = std::chrono::milliseconds(100);

}  // namespace

void Readiness::begin(const std::string& token, std::string title) {
  const std::lock_guard lock(mutex_);
  works_[token] = std::move(title);
  changed_.notify_all();
}

void Readiness::end(const std::string& token) {
  const std::lock_guard lock(mutex_);
  if (works_.erase(token) == 0) return;
  quiet_from_ = Clock::now() + kPause;
  changed_.notify_all();
}

void Readiness::expect_work(std::chrono::milliseconds time) {
  const std::lock_guard lock(mutex_);
  quiet_from_ = std::max(quiet_from_, Clock::now() + time);
}

bool Readiness::wait(const Patience& patience) {
  std::unique_lock lock(mutex_);
  while (!patience.is_over()) {
    if (works_.empty() && Clock::now() >= quiet_from_) return true;
    const Clock::time_point until =
        works_.empty() ? std::min(quiet_from_, patience.deadline) : patience.deadline;
    const bool idle = works_.empty();
    changed_.wait_until(lock, patience.stop, until, [&] { return works_.empty() != idle; });
  }
  return works_.empty() && Clock::now() >= quiet_from_;
}

bool Readiness::is_busy() const {
  const std::lock_guard lock(mutex_);
  return !works_.empty();
}

std::string Readiness::work() const {
  const std::lock_guard lock(mutex_);
  return works_.empty() ? std::string() : works_.begin()->second;
}

}  // namespace helve::lsp
