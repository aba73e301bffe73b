// Takes a chunked body apart, strictly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "http/request_head.h"

namespace helve::http {

// Reads one body from bytes that come in pieces cut anywhere. Used by one thread.
class ChunkedBody {
 public:
  explicit ChunkedBody(std::size_t limit) : limit_(limit) {}

  // Appends what `bytes` hold of the body; how many of them belonged to it. Once it is done, none do.
  [[nodiscard]] std::expected<std::size_t, Refusal> take(std::string_view bytes, std::string& body);
  [[nodiscard]] bool done() const { return state_ == State::kDone; }

 private:
  enum class State { kSize, kData, kDataEnd, kTrailer, kDone };

  [[nodiscard]] std::expected<void, Refusal> end_line(std::size_t body_size);
  [[nodiscard]] std::expected<void, Refusal> read_size(std::string_view line, std::size_t body_size);

  std::size_t limit_;
  State state_ = State::kSize;
  std::string line_ = {};     // with its CR, until its LF comes
  std::size_t overhead_ = 0;  // bytes of extensions and trailers
  std::uint64_t rest_ = 0;    // of the chunk
};

}  // namespace helve::http
