// Reads this process's environment, which never changes after main() starts.
#pragma once

#include <string>

namespace helve {

// Empty if the variable is not set.
[[nodiscard]] std::string environment_variable(const char* name);

}  // namespace helve
