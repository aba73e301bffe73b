// The help pages of the program and its commands.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"

namespace helve::cli {

[[nodiscard]] std::string program_help(const app::Printer& terminal,
                                       const std::vector<std::unique_ptr<Command>>& commands);
[[nodiscard]] std::string command_help(const app::Printer& terminal, const Command& command);

}  // namespace helve::cli
