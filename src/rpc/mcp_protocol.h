// What both sides of MCP must spell alike: revisions, error codes, names of members and headers.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace helve::rpc {

// Newest first. The first has neither initialize nor sessions; all others have both.
inline constexpr std::string_view kModernRevision = "2026-07-28";
inline constexpr auto kRevisions = std::to_array<std::string_view>(
    {kModernRevision, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"});
// The newest that is spoken after initialize.
inline constexpr std::string_view kNewestOldRevision = "2025-11-25";
// What an HTTP request of the old era speaks when no header says it.
inline constexpr std::string_view kUnsaidRevision = "2025-03-26";

[[nodiscard]] constexpr bool is_known_revision(std::string_view revision) {
  return std::ranges::find(kRevisions, revision) != kRevisions.end();
}

// The old era begins with initialize and keeps state; the modern one says everything in every request.
enum class Era { kOld, kModern };
[[nodiscard]] constexpr Era era_of(std::string_view revision) {
  return revision >= kModernRevision ? Era::kModern : Era::kOld;
}

// Besides those of JSON-RPC itself.
inline constexpr int kServerError = -32000;
inline constexpr int kRequestTimedOut = -32001;      // what the SDKs say; also "session not found" over HTTP
inline constexpr int kOldResourceNotFound = -32002;  // the modern era says kInvalidParams
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
inline constexpr std::string_view kMetaError = "helve/error";  // of a tool: {code, message, hint, details}
inline constexpr std::string_view kProgressToken = "progressToken";

// An extension among the capabilities.
inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";

// Values of resultType.
inline constexpr std::string_view kComplete = "complete";
inline constexpr std::string_view kInputRequired = "input_required";

// HTTP headers, which compare without case.
inline constexpr std::string_view kRevisionHeader = "MCP-Protocol-Version";
inline constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
inline constexpr std::string_view kMethodHeader = "Mcp-Method";
inline constexpr std::string_view kNameHeader = "Mcp-Name";
inline constexpr std::string_view kParamHeaderPrefix = "Mcp-Param-";
inline constexpr std::string_view kLastEventHeader = "Last-Event-ID";
// In a tool's schema: the name after the prefix under which the argument also goes as a header.
inline constexpr std::string_view kHeaderKeyword = "x-mcp-header";
// Around base64, for header values that are not plain ASCII.
inline constexpr std::string_view kEncodedHeaderStart = "=?base64?";
inline constexpr std::string_view kEncodedHeaderEnd = "?=";

}  // namespace helve::rpc
