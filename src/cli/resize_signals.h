// Changes of the terminal's size as something to wait for.
#pragma once

#include <csignal>

#include "base/file_io.h"

namespace helve::cli {

// Made by the main thread before it starts others, so that none of them gets the signal.
class ResizeSignals {
 public:
  ResizeSignals();
  ResizeSignals(const ResizeSignals&) = delete;
  ResizeSignals& operator=(const ResizeSignals&) = delete;
  ~ResizeSignals();

  // Readable after a change.
  [[nodiscard]] int fd() const { return arrivals_.get(); }
  void drain() const;

 private:
  sigset_t before_;
  UniqueFd arrivals_;
};

}  // namespace helve::cli
