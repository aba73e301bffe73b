// What HTTP headers have to say about a request of MCP.
#pragma once

#include <optional>

#include "http/message.h"
#include "mcp/offer.h"
#include "rpc/message.h"

namespace helve::mcp {

// A refusal when the client can read neither of the forms in which answers come, or sends something else than
// JSON.
[[nodiscard]] std::optional<http::Response> check_content_headers(const http::Request& request);

// The modern era repeats parts of the message in headers, for those on the way who do not read bodies; what
// they say must agree.
[[nodiscard]] std::optional<rpc::Failure> check_modern_headers(const http::Headers& headers,
                                                               const rpc::Request& request, Tools* tools);

}  // namespace helve::mcp
