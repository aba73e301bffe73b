// Finds the commands that a program may run whose arguments are not known: everything behind it.
#pragma once

#include <vector>

#include "shell/command_line.h"

namespace helve::policy {

// For `mywrap -n 3 rm x`: `3 rm x`, `rm x` and `x`; for `mywrap --exec='rm x'` the parsed text `rm x`.
// Nothing for a program whose arguments are known (`git commit -m "rm x"`), but what is behind a runner:
// `docker exec c rm x`.
//
// `wrapped_nothing`: the program is a wrapper whose command is not known, so it counts as unknown.
[[nodiscard]] std::vector<shell::SimpleCommand> possible_commands(const shell::SimpleCommand& command,
                                                                  bool wrapped_nothing = false);

}  // namespace helve::policy
