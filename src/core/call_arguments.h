// Takes a call's arguments apart: the tool's own, and what every call may say besides.
#pragma once

#include <string>

#include "helve/error.h"
#include "helve/tool.h"

namespace helve {

struct AcceptedArguments {
  Json own;  // validated; for a tool from elsewhere without what only we understand
  std::string explanation;
  bool dry_run = false;
};

// INVALID_ARGUMENT with all complaints.
[[nodiscard]] Expected<AcceptedArguments> accept_arguments(const ToolDefinition& definition, Json arguments,
                                                           bool explanation_required);

// The arguments as the audit keeps them: without secrets, bounded.
[[nodiscard]] std::string recorded_arguments(const ToolDefinition& definition, const Json& arguments);

}  // namespace helve
