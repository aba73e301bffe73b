// The tools in src/tools; the build writes this function from the files it finds there.
#pragma once

#include <memory>
#include <vector>

#include "helve/tool.h"

namespace helve {

[[nodiscard]] std::vector<std::unique_ptr<Tool>> builtin_tools();

}  // namespace helve
