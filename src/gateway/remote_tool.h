// A tool as its server describes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"
#include "http/message.h"

namespace helve::gateway {

// An argument that also goes as an HTTP header: where it is, and the header's name.
struct HeaderArgument {
  std::vector<std::string> path = {};
  std::string header = {};  // Mcp-Param-…
};

struct RemoteTool {
  std::string name = {};
  std::string title = {};
  std::string description = {};
  Json input_schema = JsonObject{{"type", "object"}};
  Json output_schema = {};  // null when there is none
  // What the server says about it; nothing when it says nothing.
  std::optional<bool> read_only = {};
  std::optional<bool> destructive = {};
  std::optional<bool> idempotent = {};
  std::optional<bool> open_world = {};
  std::vector<HeaderArgument> header_arguments = {};

  // As it came, for keeping.
  Json source = {};
};

// INVALID_ARGUMENT when it cannot be used: no name, a schema that is none, headers that the protocol forbids.
[[nodiscard]] Expected<RemoteTool> read_tool(const Json& description);

// The headers that a call with these arguments has to bring.
[[nodiscard]] http::Headers argument_headers(const RemoteTool& tool, const Json& arguments);

// The value as a header may have it: as it is, or wrapped in base64.
[[nodiscard]] std::string header_value(std::string_view value);
// Out of line, because GCC 12 sees an overflow in inlined copies of long constant names.
void add_header(http::Headers& headers, std::string_view name, std::string value);

}  // namespace helve::gateway
