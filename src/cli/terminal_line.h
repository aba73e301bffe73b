// A line from the person at a terminal.
#pragma once

#include <stop_token>
#include <string>

namespace helve::cli {

// One line ("\n" for an empty one), or nothing when the person or the program ends the wait.
[[nodiscard]] std::string read_line(int terminal, const std::stop_token& stop);

}  // namespace helve::cli
