#include "lsp/framing.h"

#include "base/strings.h"
#include "base/to_number.h"
#include "base/utf8.h"

namespace helve::lsp {
namespace {

constexpr std::size_t kLongestHeader = 16 << 10;
constexpr std::size_t kLargestBody = std::size_t{64} << 20;
constexpr std::string_view kHeaderEnd = "\r\n\r\n";

std::optional<std::size_t> content_length(std::string_view header) {
  std::optional<std::size_t> length;
  for (const std::string_view line : split(header, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || to_lower(trim(line.substr(0, colon))) != "content-length")
      continue;
    if (const auto number = to_number<std::size_t>(trim(line.substr(colon + 1)))) length = number;
  }
  return length;
}

}  // namespace

std::string frame(std::string_view body) { return concat("Content-Length: ", body.size(), kHeaderEnd, body); }

Expected<std::optional<std::string>> FrameReader::next() {
  const std::string_view rest = std::string_view(buffer_).substr(done_);
  const std::size_t end = rest.find(kHeaderEnd);
  if (end == std::string_view::npos) {
    if (rest.size() > kLongestHeader)
      return fail(ErrorCode::kExecutionFailed,
                  concat("It writes something that is no message: ", shortened(rest, 200)));
    buffer_.erase(0, done_);
    done_ = 0;
    return std::nullopt;
  }
  const auto length = content_length(rest.substr(0, end));
  if (!length)
    return fail(ErrorCode::kExecutionFailed,
                concat("It writes a message without a length: ", shortened(rest.substr(0, end), 200)));
  if (*length > kLargestBody)
    return fail(ErrorCode::kExecutionFailed, concat("It sends a message of ", *length, " bytes."));
  const std::size_t begin = end + kHeaderEnd.size();
  if (rest.size() - begin < *length) return std::nullopt;
  std::string body(rest.substr(begin, *length));
  done_ += begin + *length;
  if (done_ == buffer_.size()) {
    buffer_.clear();
    done_ = 0;
  }
  return body;
}

}  // namespace helve::lsp
