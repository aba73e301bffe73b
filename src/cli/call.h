// Makes one call for a person or script and prints the answer.
#pragma once

#include <string>

#include "cli/shell.h"

namespace helve::cli {

// For people or as the envelope. Returns the exit code.
int print_answer(const Shell& shell, const Answer& answer);

// Ctrl-C cancels the call. Returns the exit code.
[[nodiscard]] int make_call(const Shell& shell, std::string tool, Json arguments);

// JSON text as given on the command line: itself, @FILE, or - for stdin.
[[nodiscard]] Expected<std::string> text_of_arguments(const std::string& given);

}  // namespace helve::cli
