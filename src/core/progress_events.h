// Turns a tool's progress into events of the session, not more than a few a second.
#pragma once

#include <functional>
#include <mutex>

#include "core/active_call.h"

namespace helve::core {

// Owns everything it uses, because an abandoned tool may continue to report. Also calls the caller's
// callback.
[[nodiscard]] std::function<void(const Progress&)> progress_events(const ActiveCall& active);

// The same, created with the first report, because most calls report nothing. Lives as long as the call; may
// be used from all threads.
class ProgressOnDemand {
 public:
  explicit ProgressOnDemand(const ActiveCall& active) : active_(active) {}

  void report(const Progress& progress) {
    std::call_once(made_, [&] { events_ = progress_events(active_); });
    events_(progress);
  }

 private:
  const ActiveCall& active_;
  std::once_flag made_;
  std::function<void(const Progress&)> events_;
};

}  // namespace helve::core
