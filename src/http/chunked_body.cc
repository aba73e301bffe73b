#include "http/chunked_body.h"

#include <algorithm>
#include <utility>

#include "base/to_number.h"

namespace helve::http {
namespace {

constexpr std::size_t kLongestLine = 4096;
// Extensions and trailers are read and dropped; more than this is somebody who keeps us busy.
constexpr std::size_t kMostOverhead = std::size_t{16} << 10;
constexpr std::size_t kMostDigits = 16;

}  // namespace

std::expected<std::size_t, Refusal> ChunkedBody::take(std::string_view bytes, std::string& body) {
  std::size_t used = 0;
  while (used < bytes.size() && state_ != State::kDone) {
    if (state_ == State::kData) {
      const std::size_t count = std::min<std::uint64_t>(rest_, bytes.size() - used);
      body += bytes.substr(used, count);
      used += count;
      rest_ -= count;
      if (rest_ == 0) state_ = State::kDataEnd;
      continue;
    }
    const std::size_t feed = bytes.find('\n', used);
    const std::size_t end = std::min(feed, bytes.size());
    line_ += bytes.substr(used, end - used);
    // After the data only CR LF can come; there is no need to wait for a whole line of something else.
    if (state_ == State::kDataEnd && !line_.empty() && line_ != "\r")
      return refuse(400, "A chunk is longer than its size.");
    if (line_.size() > kLongestLine) return refuse(400, "A line between chunks is too long.");
    used = end;
    if (feed == std::string_view::npos) break;
    ++used;
    if (!line_.ends_with('\r')) return refuse(400, "Lines between chunks must end with CR and LF.");
    line_.pop_back();
    if (const auto ended = end_line(body.size()); !ended) return std::unexpected(ended.error());
    line_.clear();
  }
  return used;
}

std::expected<void, Refusal> ChunkedBody::end_line(std::size_t body_size) {
  const std::string_view line = line_;
  switch (state_) {
    case State::kSize: return read_size(line, body_size);
    case State::kDataEnd: state_ = State::kSize; return {};
    case State::kTrailer: {
      if (line.empty()) {
        state_ = State::kDone;
        return {};
      }
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos || !is_token(line.substr(0, colon)) ||
          !is_field_value(line.substr(colon + 1)))
        return refuse(400, "A trailer field must be: name, colon, value.");
      overhead_ += line.size();
      if (overhead_ > kMostOverhead) return refuse(431, "The trailers of the body are too long.");
      return {};
    }
    case State::kData:
    case State::kDone: break;
  }
  return {};
}

std::expected<void, Refusal> ChunkedBody::read_size(std::string_view line, std::size_t body_size) {
  const std::size_t semicolon = line.find(';');
  const std::string_view digits = line.substr(0, semicolon);
  const auto size = to_number<std::size_t>(digits, 16);
  if (digits.size() > kMostDigits || !size)
    return refuse(400, "The size of a chunk must be a hexadecimal number.");
  rest_ = *size;
  if (semicolon != std::string_view::npos) {
    if (!is_field_value(line.substr(semicolon))) return refuse(400, "A chunk extension is not valid.");
    overhead_ += line.size() - semicolon;
    if (overhead_ > kMostOverhead) return refuse(400, "The chunk extensions are too long.");
  }
  if (body_size > limit_ || rest_ > limit_ - body_size) return refuse(413, "The body is too long.");
  state_ = rest_ == 0 ? State::kTrailer : State::kData;
  return {};
}

}  // namespace helve::http
