// What is different for commands at the shell, where a call is a session of its own and ends what it started.
#pragma once

#include <optional>
#include <string_view>

#include "helve/result.h"
#include "helve/tool.h"

namespace helve::cli {

// The parameters that are of use there.
[[nodiscard]] ParamType params_at_shell(const ToolDefinition& tool);

// Why exec is not called with these arguments; none when it may be.
[[nodiscard]] std::optional<Error> refused_at_shell(std::string_view tool, const Json& arguments);

// Whether our own stdin reaches nobody: exec without input of its own.
[[nodiscard]] bool leaves_stdin(std::string_view tool, const Json& arguments);

// Whether something is at stdin that nobody has begun to read. Never waits: who leaves a pipe open and silent
// means nothing by it.
[[nodiscard]] bool has_unread_stdin();

// For a command that waits for somebody to type, who is not there: what to tell instead of how to look after
// it, which is taken out of the output. None when it does not wait.
[[nodiscard]] std::optional<Error> waited_in_vain(Output& output);

}  // namespace helve::cli
