// The bytes of a response's head.
#pragma once

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
  bool http_1_0 = false;  // the client; it must be told that the connection stays
};

[[nodiscard]] std::string_view reason_phrase(int status);
// 500 for what is no final status.
[[nodiscard]] int final_status(int status);
// 204 and 304 never have one.
[[nodiscard]] bool status_has_body(int status);
// Status line, fields and the blank line. Framing and Connection are ours; fields that would break out of
// their line are left out.
[[nodiscard]] std::string head_text(const Response& response, const HeadOptions& options);

// {"error": "…"} with its type.
[[nodiscard]] Response error_response(int status, std::string_view reason);
// 405, for who may use those: "GET, HEAD".
[[nodiscard]] Response method_not_allowed(std::string_view allowed);

}  // namespace helve::http
