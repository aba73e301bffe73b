// Recognises commands that destroy the machine, the home directory or the whole workspace. No mode allows
// them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/command_words.h"
#include "policy/location.h"
#include "shell/command_line.h"

namespace helve::policy {

// What the command would destroy, to complete "it would …"; none for all other commands. Goes by what the
// command does, not by how it is written: `rm -r -f "/"` is `rm -fr /`. A word whose value is unknown is not
// judged.
[[nodiscard]] std::optional<std::string> find_catastrophe(const shell::SimpleCommand& command,
                                                          const WorkingDirectories& directories,
                                                          const Surroundings& surroundings);

// A function that starts itself twice, again and again.
[[nodiscard]] bool is_fork_bomb(std::string_view text, const shell::CommandLine& line);

}  // namespace helve::policy
