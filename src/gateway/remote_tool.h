// The definition of another server's tool, and its name in the registry.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"
#include "http/message.h"

namespace helve::gateway {

// An argument that is also sent as an HTTP header.
struct HeaderArgument {
  std::vector<std::string> path = {};
  std::string header = {};  // Mcp-Param-…
};

struct RemoteTool {
  std::string name = {};
  std::string title = {};
  std::string description = {};
  Json input_schema = JsonObject{{"type", "object"}};
  Json output_schema = {};  // null if there is none
  // The server's annotations, where it states them.
  std::optional<bool> read_only = {};
  std::optional<bool> destructive = {};
  std::optional<bool> idempotent = {};
  std::optional<bool> open_world = {};
  std::vector<HeaderArgument> header_arguments = {};

  // The original description, for the cache.
  Json source = {};
};

// INVALID_ARGUMENT if the name is missing, the schema is not an object, or its x-mcp-header is not allowed.
[[nodiscard]] Expected<RemoteTool> read_tool(const Json& description);

// The headers that a call with these arguments needs.
[[nodiscard]] http::Headers argument_headers(const RemoteTool& tool, const Json& arguments);

// The value in the form that headers allow: plain, or encoded in base64.
[[nodiscard]] std::string header_value(std::string_view value);
// Not inline, because GCC 12 reports a false overflow for inlined copies of long constants.
void add_header(http::Headers& headers, std::string_view name, std::string value);

// The limit of function-calling APIs.
inline constexpr std::size_t kLongestToolName = 64;

// Unique labels for servers, in the same order: letters, digits, - and single _.
[[nodiscard]] std::vector<std::string> server_labels(const std::vector<std::string>& servers);

// mcp__label__tool for each tool, in the same order. If a changed name is too long or clashes, it ends in a
// hash of the original, so that it does not depend on the other tools.
[[nodiscard]] std::vector<std::string> tool_names(std::string_view label,
                                                  const std::vector<std::string>& tools);

}  // namespace helve::gateway
