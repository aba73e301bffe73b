// What the parts of the unwrapping share: how a command hands over to the one that it runs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "shell/analysis.h"
#include "shell/command_line.h"

namespace helve::shell {

// A command that may run another; made and used by one call of `unwrap`.
struct Wrapper {
  Analysis& analysis;
  const SimpleCommand& command;
  const Frame& frame;
  std::string_view name;  // without its directory

  // The words from there on are a command; none are a doubt when more come from elsewhere.
  void runs_words(std::size_t from) const;
  void runs(std::span<const Word> words) const;
  // The word is a command line for a shell.
  void runs_text(const Word& text, Dialect dialect) const;
  void doubt(std::string reason) const { analysis.doubt(std::move(reason)); }
  void doubt_options() const;
  [[nodiscard]] Frame inner_frame() const;
};

// Each says whether the command was one of its own.
bool unwrap_shell(const Wrapper& wrapper);     // sh -c and kin
bool unwrap_by_table(const Wrapper& wrapper);  // env-like programs: options, operands, then a command
bool unwrap_program(const Wrapper& wrapper);   // programs with a way of their own: env, find, sh, git, …
bool unwrap_builtin(const Wrapper& wrapper);   // eval, trap, set, read, …

}  // namespace helve::shell
