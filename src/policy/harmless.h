// What may stand around a command without changing what a rule about it means: a few variables, wrappers and
// builtins.
#pragma once

#include <string_view>

#include "shell/command_line.h"

namespace helve::policy {

// An assignment in front of a command that changes how it talks, not what it does: LC_ALL, TZ, NO_COLOR, CI,
// … The value has to be plain, since some of these also take paths.
[[nodiscard]] bool is_harmless_assignment(const shell::Assignment& assignment);
// An assignment that stands alone: the variables of a script, which are in lower case and reach no program;
// whatever uses them is an expansion and judged as such.
[[nodiscard]] bool is_harmless_variable(const shell::Assignment& assignment);

// A wrapper that runs the wrapped words as they are: nohup, nice, timeout, time, stdbuf, command, and env
// when it changes nothing. The wrapped command is judged by itself.
[[nodiscard]] bool is_harmless_wrapper(const shell::SimpleCommand& wrapper,
                                       const shell::SimpleCommand& wrapped);

// A builtin that only looks, or does nothing outside of its own shell: true, exit, set -e, [ -f x ], command
// -v x, …
[[nodiscard]] bool is_harmless_builtin(const shell::SimpleCommand& command);

// Wildcards are the word's only expansion.
[[nodiscard]] bool is_pattern(const shell::Word& word);
// `~` or `~/…` is the word's only expansion.
[[nodiscard]] bool is_home_path(const shell::Word& word);
// One of these two: no more than the names of files, which a rule that leaves the arguments open allows.
// Whether such a name could be taken for an option that matters is for runs_more to say.
[[nodiscard]] bool is_harmless_expansion(const shell::Word& word);

}  // namespace helve::policy
