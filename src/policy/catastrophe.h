// Recognises commands that destroy the machine, the home directory or the whole workspace. No mode allows
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/location.h"
#include "shell/command_line.h"

namespace helve::policy {

struct Catastrophe {
  std::string subject = {};  // the command, as written
  std::string what = {};     // completes "it would …"
};

// Everything that the line would destroy. Goes by what its commands do, not by how they are written: braces,
// wildcards, variables of the line, `cd`, wrappers, texts for shells and code with literal arguments are
// followed. A word whose value is unknown is not judged.
//
// `directory` is where the line starts, `input` what it reads from stdin.
[[nodiscard]] std::vector<Catastrophe> find_catastrophes(std::string_view text, const std::string& directory,
                                                         const std::string& input,
                                                         const Surroundings& surroundings);

// A function that starts itself twice, again and again, or an endless loop of background commands.
[[nodiscard]] bool starts_endless_processes(std::string_view text, const shell::CommandLine& line);

}  // namespace helve::policy
