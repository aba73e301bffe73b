// The tools in src/tools. The build generates this function from the files in that directory.
#pragma once

#include <memory>
#include <vector>

#include "helve/tool.h"

namespace helve::core {

[[nodiscard]] std::vector<std::unique_ptr<Tool>> builtin_tools();

}  // namespace helve::core
