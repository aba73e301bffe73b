// The `helve` program.
#pragma once

#include <string>
#include <vector>

namespace helve::cli {

// `words` are the arguments after the program's name. Returns the exit code.
[[nodiscard]] int run_program(const std::vector<std::string>& words);

}  // namespace helve::cli
