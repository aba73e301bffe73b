// What is known so far about one command line, shared by all that read parts of it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "shell/command_line.h"

namespace helve::shell {

// Where a text or a command stands: behind which wrappers, how deep, read by which shell.
struct Frame {
  Dialect dialect = Dialect::kBash;
  int depth = 0;
  bool in_text = true;  // read by a shell, which knows keywords; not given to a program as words
  std::vector<std::string> wrappers = {};
  std::vector<Assignment> assignments = {};  // made by the wrappers, for all that runs inside
};

// Made and used by one call of parse_command_line.
class Analysis {
 public:
  explicit Analysis(std::chrono::steady_clock::time_point deadline) : deadline_(deadline) {}

  // Reads a text as a command line: the one that was given, or one inside of it (`sh -c`, `eval`, backticks).
  void read_text(std::string_view text, const Frame& frame);
  // Lists a command, and then what it wraps.
  void add(SimpleCommand command, const Frame& frame);
  void doubt(std::string reason);

  // True when the nesting allows no further level, or when time is up; says so.
  [[nodiscard]] bool is_too_deep(const Frame& frame);
  [[nodiscard]] bool is_out_of_time();
  [[nodiscard]] CommandLine take() { return std::move(line_); }

 private:
  std::chrono::steady_clock::time_point deadline_;
  CommandLine line_ = {};
  std::size_t bytes_ = 0;  // of all texts together
};

// Adds what runs inside of a command that runs others. The command has a literal name. In unwrap.cc.
void unwrap(Analysis& analysis, const SimpleCommand& command, const Frame& frame);

}  // namespace helve::shell
