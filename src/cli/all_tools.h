// The tools that come with Helve, also those that are off unless the settings name them.
#pragma once

#include <memory>

#include "helve/error.h"
#include "helve/registry.h"

namespace helve::cli {

// Whatever the settings say and the machine has besides.
[[nodiscard]] Expected<std::unique_ptr<Registry>> all_builtin_tools();

}  // namespace helve::cli
