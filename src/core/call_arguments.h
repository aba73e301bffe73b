// Splits a call's arguments into the tool's own and the common ones (explanation, dryRun).
#pragma once

#include <string>

#include "helve/error.h"
#include "helve/registry.h"

namespace helve::core {

struct AcceptedArguments {
  // Validated. For a foreign tool without the parameters that only Helve understands, and with the defaults
  // of parameters that its schema requires.
  Json own;
  std::string explanation;
  bool dry_run = false;
};

// INVALID_ARGUMENT lists every problem.
[[nodiscard]] Expected<AcceptedArguments> accept_arguments(const RegisteredTool& tool, Json arguments,
                                                           bool explanation_required);

// The arguments as the audit keeps them: without secrets, and shortened.
[[nodiscard]] std::string recorded_arguments(const ToolDefinition& definition, const Json& arguments);

}  // namespace helve::core
