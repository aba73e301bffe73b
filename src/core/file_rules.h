// The rules for files that a call touches without naming them.
#pragma once

#include <string>

#include "helve/context.h"
#include "helve/error.h"

namespace helve {

// PERMISSION_DENIED when a rule keeps the file, named from the workspace, from being read.
[[nodiscard]] Expected<void> check_readable(const Context& context, const std::string& name);
// Or from being edited, whatever the mode.
[[nodiscard]] Expected<void> check_editable(const Context& context, const std::string& name);

}  // namespace helve
