// Converts tool definitions and results to MCP's JSON.
#pragma once

#include "helve/result.h"
#include "helve/tool.h"
#include "mcp/client.h"
#include "mcp/offer.h"

namespace helve::mcp {

// Whether to send structured content. Claude Code and Codex would show the model nothing else; they get only
// the text, which is complete and shorter.
[[nodiscard]] bool wants_structure(const ClientInfo& client);

[[nodiscard]] Json describe_tool(const ToolDefinition& tool, const ClientInfo& client);
[[nodiscard]] TaskSupport task_support_of(const ToolDefinition& tool);
// A CallToolResult. The structured content repeats the text, for other clients that show only the structure.
// `_meta` has the rest of the envelope: whether the call succeeded, its summary, what it changed.
[[nodiscard]] Json describe_answer(Answer answer, const ToolDefinition& tool, const ClientInfo& client);
inline constexpr std::string_view kTextMember = "text";
// A JSON-RPC error for a failure outside of any tool.
[[nodiscard]] rpc::Failure failure_of(const Error& error);

// URI prefix of the session's saved results.
inline constexpr std::string_view kOutputScheme = "helve-output:///";

}  // namespace helve::mcp
