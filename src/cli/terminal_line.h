// A line from the person at a terminal.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

namespace helve::cli {

// One line ("\n" for an empty one), or nothing when the person, the program or the time ends the wait.
[[nodiscard]] std::string read_line(
    int terminal, const std::stop_token& stop,
    std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());

}  // namespace helve::cli
