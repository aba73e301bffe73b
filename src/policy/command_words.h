// Classifies the words of a simple command: its possible readings, and parts that cannot do harm.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shell/command_line.h"

namespace helve::policy {

using Words = std::vector<shell::Word>;

// The last component of a program's path: /usr/bin/rm is rm.
[[nodiscard]] std::string_view program_name(std::string_view word);

// All readings against which a restriction is checked. The first is the command with the bare name of the
// program. Others are equivalent commands: `git-push x` is `git push x`, `busybox rm` and
// `ld-linux.so /bin/rm` are `rm`, a symlink is its target. Empty for a command without words.
[[nodiscard]] std::vector<Words> readings_of(const shell::SimpleCommand& command, std::string_view directory);

// Whether an option takes the next word as its value; kUnsure for programs whose options are not known.
enum class OptionValue { kNone, kNext, kUnsure };
[[nodiscard]] OptionValue value_of_option(std::string_view program, std::string_view option);

// The words as shell input, quoted where necessary.
[[nodiscard]] std::string spell_out(const Words& words);
[[nodiscard]] std::string quoted(std::string_view word);

// Programs that run what they are given: shells, languages, wrappers.
[[nodiscard]] bool is_interpreter(std::string_view program);

// An assignment before a command that only changes its output or environment name: LC_ALL, TZ, NO_COLOR, CI,
// … The value must be plain, because some of these variables also accept paths.
[[nodiscard]] bool is_harmless_assignment(const shell::Assignment& assignment);
// An assignment without a command: a script's own variable, in lower case, which is not exported. Uses of it
// are expansions and are checked as such.
[[nodiscard]] bool is_harmless_variable(const shell::Assignment& assignment);

// A wrapper that runs the wrapped command unchanged: nohup, nice, timeout, time, stdbuf, command, and env
// without assignments. The wrapped command is checked separately.
[[nodiscard]] bool is_harmless_wrapper(const shell::SimpleCommand& wrapper,
                                       const shell::SimpleCommand& wrapped);

// A builtin that only reads, or affects only its own shell: true, exit, set -e, [ -f x ], command -v x, …
[[nodiscard]] bool is_harmless_builtin(const shell::SimpleCommand& command);

// True when wildcards are the word's only expansion.
[[nodiscard]] bool is_pattern(const shell::Word& word);
// True when `~` or `~/…` is the word's only expansion.
[[nodiscard]] bool is_home_path(const shell::Word& word);
// One of these two: it expands to file names only, which a rule with open arguments allows. Whether such a
// name could act as a dangerous option is checked by shell::runs_more.
[[nodiscard]] bool is_harmless_expansion(const shell::Word& word);

}  // namespace helve::policy
