// Permission rules for files that a call touches without naming them in its arguments.
#pragma once

#include <string>

#include "helve/context.h"
#include "helve/error.h"

namespace helve::toolkit {

// PERMISSION_DENIED when a rule forbids reading the file. `name` is relative to the workspace.
[[nodiscard]] Expected<void> check_readable(const Context& context, const std::string& name);
// The same for editing, in every mode.
[[nodiscard]] Expected<void> check_editable(const Context& context, const std::string& name);

}  // namespace helve::toolkit
