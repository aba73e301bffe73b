// Splits a call's arguments into the tool's own and the common ones (explanation, dryRun).
#pragma once

#include <string>

#include "helve/error.h"
#include "helve/tool.h"

namespace helve::core {

struct AcceptedArguments {
  Json own;  // validated; for a foreign tool without the parameters that only Helve understands
  std::string explanation;
  bool dry_run = false;
};

// INVALID_ARGUMENT lists every problem.
[[nodiscard]] Expected<AcceptedArguments> accept_arguments(const ToolDefinition& definition, Json arguments,
                                                           bool explanation_required);

// The arguments as the audit keeps them: without secrets, and shortened.
[[nodiscard]] std::string recorded_arguments(const ToolDefinition& definition, const Json& arguments);

}  // namespace helve::core
