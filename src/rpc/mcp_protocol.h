// The constants of MCP that client and server share: protocol versions, error codes, members and headers.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace helve::rpc {

// Newest first. All versions but the first have initialize and sessions.
inline constexpr std::string_view kStatelessRevision = "2026-07-28";
inline constexpr auto kRevisions = std::to_array<std::string_view>(
    {kStatelessRevision, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"});
// The newest version with initialize.
inline constexpr std::string_view kNewestSessionRevision = "2025-11-25";
// The version of an HTTP request in a session without a version header.
inline constexpr std::string_view kDefaultRevision = "2025-03-26";

[[nodiscard]] constexpr bool is_known_revision(std::string_view revision) {
  return std::ranges::find(kRevisions, revision) != kRevisions.end();
}

// The session-based protocol begins with initialize and keeps state. In the stateless protocol every request
// carries its own metadata.
enum class Protocol { kSessionBased, kStateless };
[[nodiscard]] constexpr Protocol protocol_of(std::string_view revision) {
  return revision >= kStatelessRevision ? Protocol::kStateless : Protocol::kSessionBased;
}

// Error codes in addition to those of JSON-RPC.
inline constexpr int kServerError = -32000;
inline constexpr int kRequestTimedOut = -32001;   // as in the SDKs; also "session not found" over HTTP
inline constexpr int kResourceNotFound = -32002;  // the stateless protocol uses kInvalidParams
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingClientCapability = -32021;  // data: {requiredCapabilities}
inline constexpr int kUnsupportedRevision = -32022;      // data: {supported, requested}
inline constexpr int kUrlElicitationRequired = -32042;   // data: {elicitations}

// Members of _meta.
inline constexpr std::string_view kMetaRevision = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaClientInfo = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kMetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kMetaSubscriptionId = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view kMetaRelatedTask = "io.modelcontextprotocol/related-task";
inline constexpr std::string_view kMetaResult = "helve/result";  // of a tool: {ok, summary, meta, tool}
inline constexpr std::string_view kSkillsExtension = "io.modelcontextprotocol/skills";
inline constexpr std::string_view kForeignResult = "result";   // in an error's details: what the server sent
inline constexpr std::string_view kMetaError = "helve/error";  // of a tool: {code, message, hint, details}
inline constexpr std::string_view kProgressToken = "progressToken";

// The name of the tasks extension in the capabilities.
inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";

// Values of resultType.
inline constexpr std::string_view kComplete = "complete";
inline constexpr std::string_view kInputRequired = "input_required";

// HTTP headers; names are case-insensitive.
inline constexpr std::string_view kRevisionHeader = "MCP-Protocol-Version";
inline constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
inline constexpr std::string_view kMethodHeader = "Mcp-Method";
inline constexpr std::string_view kNameHeader = "Mcp-Name";
inline constexpr std::string_view kParamHeaderPrefix = "Mcp-Param-";
inline constexpr std::string_view kLastEventHeader = "Last-Event-ID";
// In a tool's schema: the header, without its prefix, in which the argument is repeated.
inline constexpr std::string_view kHeaderKeyword = "x-mcp-header";
// Mark base64 in header values that are not plain ASCII.
inline constexpr std::string_view kEncodedHeaderStart = "=?base64?";
inline constexpr std::string_view kEncodedHeaderEnd = "?=";

}  // namespace helve::rpc
