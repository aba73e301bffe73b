// Passes the results of other MCP servers on to clients, part by part as they were sent.
#pragma once

#include <string>

#include "helve/result.h"
#include "mcp/client.h"

namespace helve::mcp {

// The content of a result for this client. Parts that its protocol version does not have become text. If the
// text was offloaded, `stub` takes the place of all texts.
[[nodiscard]] JsonArray foreign_content(const JsonArray& sent, const ClientInfo& client,
                                        const std::string* stub);

// A failed result, from what the server sent.
[[nodiscard]] Json foreign_failure(const Json& sent, const std::string& text, const ClientInfo& client);

}  // namespace helve::mcp
