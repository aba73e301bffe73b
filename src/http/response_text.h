// Writes the head of a response, and builds error responses.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace helve::http {

enum class Framing {
  kLength,   // Content-Length
  kChunked,  // Transfer-Encoding: chunked
  kClose,    // until the connection ends
  kNone,     // a status that has no body
};

struct HeadOptions {
  Framing framing = Framing::kLength;
  std::size_t length = 0;
  bool keep_alive = true;
  // How long the connection may idle, for clients that otherwise guess; 0: not stated.
  std::chrono::seconds idle{0};
  bool http_1_0 = false;  // the client's version; such a client needs an explicit keep-alive
};

[[nodiscard]] std::string_view reason_phrase(int status);
// Maps an invalid or interim status to 500.
[[nodiscard]] int final_status(int status);
// False for 204 and 304.
[[nodiscard]] bool status_has_body(int status);
// Status line, fields and the blank line. Sets the framing and Connection headers itself, and omits fields
// that could inject another line.
[[nodiscard]] std::string head_text(const Response& response, const HeadOptions& options);

// A JSON body {"error": "…"}.
[[nodiscard]] Response error_response(int status, std::string_view reason);
// A 405 answer; `allowed` is a list such as "GET, HEAD".
[[nodiscard]] Response method_not_allowed(std::string_view allowed);

}  // namespace helve::http
