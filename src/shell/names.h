// Names with a special meaning: programs, reserved words, environment variables.
#pragma once

#include <string_view>

#include "shell/command_line.h"

namespace helve::shell {

// `/usr/bin/env` → `env`
[[nodiscard]] std::string_view program_name(std::string_view program);

// Words that are syntax in the position of a command, except `time` and `coproc`, which count as wrappers.
[[nodiscard]] bool is_reserved_word(std::string_view word, Dialect dialect);

// Variables that make programs run or load code, or change where they search for it: PATH, LD_PRELOAD,
// GIT_SSH.
[[nodiscard]] bool is_risky_variable(std::string_view name);
// The same for an assignment; `PAGER=cat` and the like are harmless.
[[nodiscard]] bool is_risky_assignment(const Assignment& assignment);

}  // namespace helve::shell
