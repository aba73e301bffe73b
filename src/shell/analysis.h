// The state of parsing one command line, shared by the readers of its parts.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/command_line.h"

namespace helve::shell {

// The context of a text or a command.
struct Frame {
  Dialect dialect = Dialect::kBash;
  int depth = 0;
  bool in_text = true;  // parsed by a shell, which knows keywords; false: passed to a program as words
  std::vector<std::string> wrappers = {};
  std::vector<Assignment> assignments = {};  // made by the wrappers for the commands inside
};

// Used by one call of parse_command_line.
class Analysis {
 public:
  explicit Analysis(std::chrono::steady_clock::time_point deadline) : deadline_(deadline) {}

  // Parses a command line: the given one, or one inside it (`sh -c`, `eval`, backticks).
  void read_text(std::string_view text, const Frame& frame);
  // Adds a command, then the commands that it wraps.
  void add(SimpleCommand command, const Frame& frame);
  void doubt(std::string reason);
  // Adds a doubt because a part cannot be parsed.
  void misread(std::string reason);
  void note_misread() { line_.is_misread = true; }

  // Both add a doubt when true. is_too_deep() also checks the time.
  [[nodiscard]] bool is_too_deep(const Frame& frame);
  [[nodiscard]] bool is_out_of_time();
  [[nodiscard]] CommandLine take() { return std::move(line_); }

 private:
  std::chrono::steady_clock::time_point deadline_;
  CommandLine line_ = {};
  std::size_t bytes_ = 0;  // of all texts together
};

// Adds the commands that a wrapper runs. The name of the command must be literal. In unwrap.cc.
void unwrap(Analysis& analysis, const SimpleCommand& command, const Frame& frame);

// Whether the commands that the program runs are listed in the command line, or its options are understood as
// a shell's builtin. In unwrap.cc.
[[nodiscard]] bool is_unwrapped(std::string_view program);

// A command that may run another. Used by one call of `unwrap`.
struct Wrapper {
  Analysis& analysis;
  const SimpleCommand& command;
  const Frame& frame;
  std::string_view name;  // without its directory

  // The words from `from` on are a command. If there are none but more arguments are unknown, adds a doubt.
  void runs_words(std::size_t from) const;
  void runs(std::span<const Word> words) const;
  // The word is a command line for a shell.
  void runs_text(const Word& text, Dialect dialect) const;
  void doubt(std::string reason) const { analysis.doubt(std::move(reason)); }
  void misread(std::string reason) const { analysis.misread(std::move(reason)); }
  void doubt_options() const;
  [[nodiscard]] Frame inner_frame() const;
};

// Each returns true when it handled the command.
bool unwrap_shell(const Wrapper& wrapper);     // sh -c and other shells
bool unwrap_by_table(const Wrapper& wrapper);  // programs with options, operands, then a command
bool unwrap_program(const Wrapper& wrapper);   // programs with special syntax: env, find, sh, git, …
bool unwrap_builtin(const Wrapper& wrapper);   // eval, trap, set, read, …
// Whether the program has a row in one of their tables.
[[nodiscard]] bool is_in_wrapper_table(std::string_view program);
[[nodiscard]] bool is_wrapping_program(std::string_view program);
[[nodiscard]] bool is_builtin(std::string_view program);

}  // namespace helve::shell
