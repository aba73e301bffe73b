// Names that mean something to a shell or to the programs it starts.
#pragma once

#include <string_view>

#include "shell/command_line.h"

namespace helve::shell {

// `/usr/bin/env` → `env`
[[nodiscard]] std::string_view program_name(std::string_view program);

// Words that are syntax and no command where a command can stand. `time` and `coproc` are not among them:
// they are treated as wrappers.
[[nodiscard]] bool is_reserved_word(std::string_view word, Dialect dialect);

// Variables that make programs run or load something, or change where they look for it: PATH, LD_PRELOAD,
// GIT_SSH.
[[nodiscard]] bool is_risky_variable(std::string_view name);
// The same for an assignment; `PAGER=cat` and the like are harmless.
[[nodiscard]] bool is_risky_assignment(const Assignment& assignment);

}  // namespace helve::shell
