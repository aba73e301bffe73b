// Signals as values to wait for: Ctrl-C as a stop request, window changes as a file descriptor. Create both
// in the main thread before it starts others, so that no other thread receives the signals.
#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

#include "base/file_io.h"

namespace helve::app {

// Turns SIGINT, SIGTERM and SIGHUP into a stop request while it exists. A second signal ends the program at
// once.
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

// Collects SIGWINCH while it exists.
class ResizeSignals {
 public:
  ResizeSignals();
  ResizeSignals(const ResizeSignals&) = delete;
  ResizeSignals& operator=(const ResizeSignals&) = delete;
  ~ResizeSignals();

  // Readable after the terminal's size has changed.
  [[nodiscard]] int fd() const { return arrivals_.get(); }
  void drain() const;

 private:
  sigset_t before_;
  UniqueFd arrivals_;
};

}  // namespace helve::app
