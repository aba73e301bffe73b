// Ctrl-C as a stop request.
#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

#include "base/file_io.h"

namespace helve::cli {

// Turns SIGINT, SIGTERM and SIGHUP into a stop request while it lives. The second one ends the program at
// once. Made by the main thread before it starts others, so that none of them gets the signals.
class InterruptWatcher {
 public:
  InterruptWatcher();
  InterruptWatcher(const InterruptWatcher&) = delete;
  InterruptWatcher& operator=(const InterruptWatcher&) = delete;
  ~InterruptWatcher();

  [[nodiscard]] std::stop_token token() const { return interrupted_.get_token(); }

 private:
  void watch(const std::stop_token& done);

  sigset_t signals_;
  sigset_t before_;
  UniqueFd arrivals_;
  UniqueFd wake_;
  std::stop_source interrupted_;
  std::jthread watcher_;
};

}  // namespace helve::cli
