// What another server's tool gave back, in the form in which our own tools answer.
#pragma once

#include "gateway/remote_tool.h"
#include "helve/log.h"
#include "helve/result.h"

namespace helve::gateway {

// A result of tools/call. isError is EXECUTION_FAILED with the server's words; structured content that does
// not fit the tool's own schema is only logged.
[[nodiscard]] Result read_result(const RemoteTool& tool, const std::string& server, const Json& result,
                                 Logger& logger);

}  // namespace helve::gateway
