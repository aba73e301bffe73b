// This process's environment, which nobody changes once main() has begun.
#pragma once

#include <string>

namespace helve {

// Empty when it is not set.
[[nodiscard]] std::string environment_variable(const char* name);

}  // namespace helve
