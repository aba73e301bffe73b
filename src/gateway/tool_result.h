// What another server's tool gave back, in the form in which our own tools answer.
#pragma once

#include <string_view>

#include "gateway/remote_tool.h"
#include "helve/log.h"
#include "helve/result.h"

namespace helve::gateway {

// A result of tools/call. isError is EXECUTION_FAILED with the server's words; structured content that does
// not fit the tool's own schema is only logged.
[[nodiscard]] Result read_result(const RemoteTool& tool, const std::string& server, const Json& result,
                                 Logger& logger);

// What the process around a library says beyond the protocol; see cli/plugin_process.h.
inline constexpr std::string_view kSummaryMeta = "helve/summary";
inline constexpr std::string_view kAffectedPathsMeta = "helve/affectedPaths";
inline constexpr std::string_view kDryRunsMeta = "helve/dryRuns";  // of a tool
// Adds that to what was read.
void read_library_result(const Json& result, Result& read);

}  // namespace helve::gateway
