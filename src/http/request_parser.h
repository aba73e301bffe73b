// Parses the head and the chunked body of an HTTP/1.x request. Refuses everything ambiguous, to prevent
// request smuggling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace helve::http {

// Why a request is refused. The connection is closed afterwards.
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
  std::uint64_t length = 0;  // of a body that is not chunked
};

// Finds the end of a head that arrives in pieces, in linear time.
class HeadScanner {
 public:
  // The length of the head with its blank line, once `bytes` contain all of it. Every call must pass the same
  // bytes plus any new ones.
  [[nodiscard]] std::expected<std::optional<std::size_t>, Refusal> find_end(std::string_view bytes);
  // The length of the request line with its line break, once it is complete.
  [[nodiscard]] std::optional<std::size_t> request_line_size() const { return first_line_; }

 private:
  std::size_t scanned_ = 0;
  std::size_t line_begin_ = 0;
  std::optional<std::size_t> first_line_ = {};
};

[[nodiscard]] std::expected<RequestHead, Refusal> parse_request_head(std::string_view head);

[[nodiscard]] bool is_token(std::string_view text);
[[nodiscard]] bool is_field_value(std::string_view text);

// Decodes one chunked body from bytes in arbitrary pieces. Used from one thread.
class ChunkedBody {
 public:
  explicit ChunkedBody(std::size_t limit) : limit_(limit) {}

  // Appends the decoded part of `bytes` to `body` and returns how many bytes were consumed; 0 once done.
  [[nodiscard]] std::expected<std::size_t, Refusal> take(std::string_view bytes, std::string& body);
  [[nodiscard]] bool done() const { return state_ == State::kDone; }

 private:
  enum class State { kSize, kData, kDataEnd, kTrailer, kDone };

  [[nodiscard]] std::expected<void, Refusal> end_line(std::size_t body_size);
  [[nodiscard]] std::expected<void, Refusal> read_size(std::string_view line, std::size_t body_size);

  std::size_t limit_;
  State state_ = State::kSize;
  std::string line_ = {};     // the current line, with its CR
  std::size_t overhead_ = 0;  // bytes of extensions and trailers
  std::uint64_t rest_ = 0;    // of the chunk
};

}  // namespace helve::http
