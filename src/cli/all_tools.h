// All built-in tools, including those that are off by default.
#pragma once

#include <memory>

#include "helve/error.h"
#include "helve/registry.h"

namespace helve::cli {

// Ignores settings and plugins.
[[nodiscard]] Expected<std::unique_ptr<Registry>> all_builtin_tools();

}  // namespace helve::cli
