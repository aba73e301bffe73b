// Asks the user a short question at the terminal.
#pragma once

#include <optional>
#include <string>

namespace helve::app {

// The answer in lower case. Empty if there is no terminal.
[[nodiscard]] std::optional<std::string> ask_word(const std::string& question);

// True for y and yes. Empty if there is no terminal.
[[nodiscard]] std::optional<bool> ask_yes_or_no(const std::string& question);

}  // namespace helve::app
