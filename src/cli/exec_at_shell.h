// Differences of exec at the shell, where each call is its own session and ends the commands it started.
#pragma once

#include <optional>
#include <string_view>

#include "helve/result.h"
#include "helve/tool.h"

namespace helve::cli {

// The parameters that work at the shell.
[[nodiscard]] ParamType params_at_shell(const ToolDefinition& tool);

// The error for arguments that cannot work at the shell, if any.
[[nodiscard]] std::optional<Error> refused_at_shell(std::string_view tool, const Json& arguments);

// Whether exec runs without stdin, so that the program's own stdin stays unread.
[[nodiscard]] bool leaves_stdin(std::string_view tool, const Json& arguments);

// Whether stdin has unread input. Never waits: an open, silent pipe counts as empty.
[[nodiscard]] bool has_unread_stdin();

// The error for a command that waits for terminal input, if it does. Removes the advice about background
// commands from the output.
[[nodiscard]] std::optional<Error> input_wait_error(Output& output);

}  // namespace helve::cli
