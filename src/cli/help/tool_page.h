// Describes a tool for the terminal, as reference documentation and as JSON.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/printer.h"
#include "cli/flags.h"
#include "helve/registry.h"

namespace helve::cli {

[[nodiscard]] std::string tool_page(const app::Printer& terminal, const ToolDefinition& tool);
[[nodiscard]] std::string tools_as_markdown(const std::vector<std::shared_ptr<const RegisteredTool>>& tools);
[[nodiscard]] Json tool_summary_json(const ToolDefinition& tool);

// "  --old-text TEXT  Text to replace (required)", one line per flag.
[[nodiscard]] std::string flag_list(const app::Printer& terminal, const ParamType& options);

// "one of auto, utf8; default auto; at least 1"; the choices may be left out.
enum class Choices { kNamed, kLeftOut };
[[nodiscard]] std::string constraints_of(const Param& param, Choices choices = Choices::kNamed);

// The placeholder of a flag's value: "TEXT", "N", "auto|utf8", "JSON"; empty for a switch.
[[nodiscard]] std::string value_word(const ParamType& type);

}  // namespace helve::cli
