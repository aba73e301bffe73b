// Shows the user a job's output while it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "process/output_log.h"

namespace helve::core {

// Created by the call that waits for the job; used by its thread.
class LiveOutput {
 public:
  // Receives text that is safe for a terminal, in order.
  using Sink = std::function<void(std::string_view text)>;

  LiveOutput(const process::OutputLog& log, Sink sink) : log_(log), sink_(std::move(sink)) {}

  // Shows new whole lines; with `unfinished` also the start of an unfinished line, such as a prompt.
  void show_new(bool unfinished);
  // Shows the rest, and ends it with a line break.
  void finish();
  // True when the user has seen all output so far.
  [[nodiscard]] bool has_shown_all() const { return !given_up_ && at_ == log_.size() && at_ > 0; }
  [[nodiscard]] std::uint64_t bytes() const { return at_; }

 private:
  void read_new();
  void show_lines(std::size_t length);

  const process::OutputLog& log_;
  const Sink sink_;
  std::uint64_t at_ = 0;    // in the log
  std::string pending_;     // read, but not yet shown as a whole line
  std::string part_shown_;  // of the unfinished line
  bool given_up_ = false;   // the output is binary or unreadable
};

}  // namespace helve::core
