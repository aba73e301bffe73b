// Shows what a command writes to a person while it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "process/output_log.h"

namespace helve {

// Made by the call that waits for the command; one thread.
class LiveOutput {
 public:
  // Gets text that is safe to show, in the order of the log.
  using Sink = std::function<void(std::string_view text)>;

  LiveOutput(const process::OutputLog& log, Sink sink) : log_(log), sink_(std::move(sink)) {}

  // Whole lines that are new; with `unfinished` also the start of one that has no end yet, for instance a
  // prompt.
  void show_new(bool unfinished);
  // All that is left, with a line break at its end.
  void finish();
  // Whether the person has seen everything up to now, and need not be shown it again.
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
  bool given_up_ = false;   // it is binary, or could not be read
};

}  // namespace helve
