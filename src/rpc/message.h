// JSON-RPC 2.0 messages for MCP and language servers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "helve/error.h"
#include "helve/json.h"

namespace helve::rpc {

// For messages of a server that the user has chosen: its schemas and results may be deep.
inline constexpr JsonLimits kServerLimits{.max_depth = 512};

// The error codes of JSON-RPC.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;

struct Failure {
  int code = kInternalError;
  std::string message = {};
  Json data = {};
};

struct Request {
  Json id = {};  // a string or a number
  std::string method = {};
  Json params = {};  // an object, an array, or null if there are none
};

struct Notification {
  std::string method = {};
  Json params = {};
};

struct Response {
  Json id = {};  // null if the request could not be read
  Json result = {};
  std::optional<Failure> failure = {};
};

using Message = std::variant<Request, Notification, Response>;

// The error of an invalid message, and the id to answer to; null if it has none.
struct Malformed {
  Failure failure = {};
  Json id = {};
};

// The id of a request that is not valid JSON, so that its sender knows which one failed: a string or a number
// under "id" beside "method", at the top level and only once. Null if there is none; also for a response,
// because an error with its id would look like the answer to another request.
[[nodiscard]] Json id_in_malformed(std::string_view text);

[[nodiscard]] std::expected<Message, Malformed> read_message(Json value);

[[nodiscard]] Json to_json(Request request);
[[nodiscard]] Json to_json(Notification notification);
[[nodiscard]] Json to_json(Response response);

}  // namespace helve::rpc
