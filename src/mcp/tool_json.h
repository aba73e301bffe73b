// Tools and their results as MCP writes them.
#pragma once

#include "helve/result.h"
#include "helve/tool.h"
#include "mcp/client_info.h"
#include "mcp/offer.h"

namespace helve::mcp {

// Whether this client does well with structured content. Claude Code and Codex show the model nothing but
// that where it is there: they get the text alone, which is shorter and says all.
[[nodiscard]] bool wants_structure(const ClientInfo& client);

[[nodiscard]] Json describe_tool(const ToolDefinition& tool, const ClientInfo& client);
[[nodiscard]] TaskSupport task_support_of(const ToolDefinition& tool);
// A CallToolResult. The structure has the text as well, for other clients that show a model nothing else.
[[nodiscard]] Json describe_answer(Answer answer, const ToolDefinition& tool, const ClientInfo& client);
inline constexpr std::string_view kTextMember = "text";
// An error that no tool has to answer for.
[[nodiscard]] rpc::Failure failure_of(const Error& error);

// The URI under which a file of the session's output can be read.
inline constexpr std::string_view kOutputScheme = "helve-output:///";

}  // namespace helve::mcp
