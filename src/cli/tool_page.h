// One tool for people: on the terminal, as reference documentation, as JSON.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "cli/terminal.h"
#include "helve/registry.h"

namespace helve::cli {

[[nodiscard]] std::string tool_page(const Terminal& terminal, const ToolDefinition& tool);
[[nodiscard]] std::string tools_as_markdown(const std::vector<std::shared_ptr<const RegisteredTool>>& tools);
[[nodiscard]] Json tool_summary_json(const ToolDefinition& tool);

// "  --old-text TEXT  Text to replace (required)", one line per flag.
[[nodiscard]] std::string flag_list(const Terminal& terminal, const ParamType& options);

// "one of auto, utf8; default auto; at least 1"; without the choices where they stand already.
enum class Choices { kNamed, kLeftOut };
[[nodiscard]] std::string constraints_of(const Param& param, Choices choices = Choices::kNamed);

// What stands behind a flag: "TEXT", "N", "auto|utf8", "JSON"; nothing behind a switch.
[[nodiscard]] std::string value_word(const ParamType& type);

}  // namespace helve::cli
