// Reads the head of an HTTP/1.x request, and refuses whatever two readers could understand in two ways.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace helve::http {

// Why a request cannot be taken; the connection is closed after it.
struct Refusal {
  int status = 400;
  std::string reason = {};
};
[[nodiscard]] inline std::unexpected<Refusal> refuse(int status, std::string reason) {
  return std::unexpected(Refusal{status, std::move(reason)});
}

struct RequestHead {
  Request request = {};  // without its body
  bool http_1_0 = false;
  bool keep_alive = true;
  bool expects_continue = false;
  bool chunked = false;
  std::uint64_t length = 0;  // of the body, unless it is chunked
};

// Finds the end of a head that comes in pieces, and never looks at a byte twice.
class HeadScanner {
 public:
  // How long the head is with its blank line, once `bytes`, which begin where they began before, hold it.
  [[nodiscard]] std::expected<std::optional<std::size_t>, Refusal> find_end(std::string_view bytes);
  // With its line break; nothing when it has not ended yet.
  [[nodiscard]] std::optional<std::size_t> request_line_size() const { return first_line_; }

 private:
  std::size_t scanned_ = 0;
  std::size_t line_begin_ = 0;
  std::optional<std::size_t> first_line_ = {};
};

[[nodiscard]] std::expected<RequestHead, Refusal> parse_request_head(std::string_view head);

[[nodiscard]] bool is_token(std::string_view text);
[[nodiscard]] bool is_field_value(std::string_view text);

}  // namespace helve::http
