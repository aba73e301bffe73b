// What a tool's hint, which is written for a model, says to a person at the shell.
#pragma once

#include <string>

#include "helve/tool.h"

namespace helve::cli {

// A text in the arguments that is the name of a file instead; empty when there is none.
[[nodiscard]] std::string file_given_as_text(const ParamType& params, const Json& arguments);

// With flags in place of parameters; and, when a file was given as a text, how to give what is in it.
[[nodiscard]] std::string hint_for_people(std::string hint, const ToolDefinition& tool,
                                          const std::string& file_given);

}  // namespace helve::cli
