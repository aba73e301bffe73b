// What a tool's hint, which is written for a model, says to a person at the shell.
#pragma once

#include <string>

#include "helve/error.h"
#include "helve/runtime.h"
#include "helve/tool.h"

namespace helve::cli {

// What there is to say about arguments of a call that failed: a file was given as a text, a number of changes
// as a path. Empty when there is nothing.
[[nodiscard]] std::string hint_on_arguments(const ToolDefinition& tool, const Json& arguments);

// How to ask what decides about the call.
[[nodiscard]] std::string explain_command(const ToolDefinition& tool, const Json& arguments);

// With flags in place of parameters.
[[nodiscard]] std::string hint_with_flags(std::string hint, const ToolDefinition& tool);

// A person is the user whom a model would ask.
[[nodiscard]] std::string hint_for_user(const Error& error, const ToolDefinition& tool,
                                        const std::string& explain_command);

// For undo and history where nothing is known: that a folder above has changes, and how to get at them.
[[nodiscard]] std::string hint_on_folder_above(const ToolDefinition& tool, const Result& result,
                                               const Runtime& runtime);

}  // namespace helve::cli
