#include "http/request_parser.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/to_number.h"

namespace helve::http {
namespace {

constexpr std::size_t kMostFields = 128;
constexpr std::size_t kLongestMethod = 32;
constexpr std::string_view kBlanks = " \t";

constexpr std::size_t kLongestLine = 4096;
// Extensions and trailers are dropped; more than this is abuse.
constexpr std::size_t kMostOverhead = std::size_t{16} << 10;
constexpr std::size_t kMostDigits = 16;

using Outcome = std::expected<void, Refusal>;

bool is_token_character(char c) {
  return is_letter_or_digit(c) || std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

bool is_visible(char c) { return c > 0x20 && c < 0x7f; }

std::string_view trim_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Accepts a host and a port, but no user, path or list.
bool is_authority(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return is_letter_or_digit(c) || std::string_view("-._~!$&'()*+;=%:[]").contains(c);
  });
}

class HeadParser {
 public:
  std::expected<RequestHead, Refusal> parse(std::string_view text) {
    bool first = true;
    while (!text.empty()) {
      const std::size_t end = text.find("\r\n");
      if (end == std::string_view::npos) return refuse(400, "The head of the request is not complete.");
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(end + 2);
      if (!first && line.empty()) break;
      const Outcome read = std::exchange(first, false) ? read_request_line(line) : read_field(line);
      if (!read) return std::unexpected(read.error());
    }
    if (first) return refuse(400, "The request is empty.");
    for (const auto& check : {&HeadParser::check_host, &HeadParser::check_body, &HeadParser::check_rest})
      if (const Outcome checked = (this->*check)(); !checked) return std::unexpected(checked.error());
    return std::move(head_);
  }

 private:
  Outcome read_request_line(std::string_view line);
  Outcome read_target(std::string_view target);
  Outcome read_field(std::string_view line);
  Outcome check_host();
  Outcome check_body();
  Outcome check_rest();

  RequestHead head_ = {};
  std::optional<std::string> authority_ = {};  // of a target in absolute form
  std::size_t fields_ = 0;
};

Outcome HeadParser::read_request_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second == std::string_view::npos)
    return refuse(400, "The request line must be: method, target, HTTP/1.1.");
  const std::string_view method = line.substr(0, first);
  const std::string_view version = line.substr(second + 1);
  if (!is_token(method)) return refuse(400, "The method of the request is not a token.");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    if (version.size() == 8 && version.starts_with("HTTP/") && is_digit(version[5]) && version[6] == '.' &&
        is_digit(version[7]))
      return refuse(505, "Only HTTP/1.1 and HTTP/1.0 are supported.");
    return refuse(400, "The request line must end with HTTP/1.1.");
  }
  if (method.size() > kLongestMethod || method == "CONNECT")
    return refuse(501, "This method is not supported.");
  head_.http_1_0 = version == "HTTP/1.0";
  head_.keep_alive = !head_.http_1_0;
  head_.request.method = method;
  return read_target(line.substr(first + 1, second - first - 1));
}

Outcome HeadParser::read_target(std::string_view target) {
  if (target.empty() || !std::ranges::all_of(target, is_visible) || target.contains('#'))
    return refuse(400, "The target of the request has characters that must be percent-encoded.");
  if (target == "*" && head_.request.method == "OPTIONS") {
    head_.request.path = target;
    return {};
  }
  if (!target.starts_with('/')) {
    const std::size_t scheme = target.find("://");
    const std::string name = to_lower(target.substr(0, scheme));
    if (scheme == std::string_view::npos || (name != "http" && name != "https"))
      return refuse(400, "The target of the request must begin with a slash.");
    target.remove_prefix(scheme + 3);
    const std::size_t end = std::min(target.find_first_of("/?"), target.size());
    authority_ = target.substr(0, end);
    if (authority_->empty() || !is_authority(*authority_))
      return refuse(400, "The host in the target of the request is not valid.");
    target.remove_prefix(end);
  }
  const std::size_t question = target.find('?');
  head_.request.path = target.substr(0, question);
  if (head_.request.path.empty()) head_.request.path = "/";
  if (question != std::string_view::npos) head_.request.query = target.substr(question + 1);
  return {};
}

Outcome HeadParser::read_field(std::string_view line) {
  if (++fields_ > kMostFields) return refuse(431, concat("More than ", kMostFields, " header fields."));
  if (kBlanks.contains(line.front()))
    return refuse(400, "A header field must not continue on a second line.");
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (colon == std::string_view::npos || !is_token(name))
    return refuse(400, "A header field must be: name, colon, value; without a space before the colon.");
  const std::string_view value = trim_blanks(line.substr(colon + 1));
  if (!is_field_value(value)) return refuse(400, "A header field has control characters.");
  head_.request.headers.add(std::string(name), std::string(value));
  return {};
}

Outcome HeadParser::check_host() {
  const std::size_t hosts = head_.request.headers.count("host");
  if (hosts > 1) return refuse(400, "There must be only one Host header.");
  const std::string* const host = head_.request.headers.find("host");
  if (host == nullptr) {
    if (!head_.http_1_0) return refuse(400, "The Host header is missing.");
    if (authority_) head_.request.headers.add("Host", *authority_);
    return {};
  }
  if (!is_authority(*host)) return refuse(400, "The Host header is not a host and a port.");
  if (authority_ && to_lower(*authority_) != to_lower(*host))
    return refuse(400, "The Host header and the host in the target of the request differ.");
  return {};
}

Outcome HeadParser::check_body() {
  const Headers& headers = head_.request.headers;
  const std::size_t lengths = headers.count("content-length");
  const std::size_t codings = headers.count("transfer-encoding");
  if (codings > 0) {
    if (lengths > 0) return refuse(400, "Content-Length and Transfer-Encoding exclude each other.");
    if (head_.http_1_0) return refuse(400, "HTTP/1.0 has no Transfer-Encoding.");
    if (codings > 1 || to_lower(*headers.find("transfer-encoding")) != "chunked")
      return refuse(400, "The only supported Transfer-Encoding is chunked.");
    head_.chunked = true;
    return {};
  }
  if (lengths == 0) {
    const std::string& method = head_.request.method;
    if (head_.http_1_0 && (method == "POST" || method == "PUT" || method == "PATCH"))
      return refuse(411, "A body requires a Content-Length.");
    return {};
  }
  if (lengths > 1) return refuse(400, "There must be only one Content-Length header.");
  const std::string& digits = *headers.find("content-length");
  const char* const end = digits.data() + digits.size();
  // from_chars accepts no sign for an unsigned number.
  const auto [stopped, error] = std::from_chars(digits.data(), end, head_.length);
  if (error == std::errc::result_out_of_range && stopped == end) return refuse(413, "The body is too long.");
  if (error != std::errc() || stopped != end) return refuse(400, "The Content-Length is not a number.");
  return {};
}

Outcome HeadParser::check_rest() {
  for (const auto& [name, value] : head_.request.headers) {
    const std::string key = to_lower(name);
    if (key == "connection") {
      for (const std::string_view option : split(value, ',')) {
        const std::string word = to_lower(trim_blanks(option));
        if (word == "close") head_.keep_alive = false;
        if (word == "keep-alive" && head_.http_1_0) head_.keep_alive = true;
      }
    } else if (key == "expect" && !head_.http_1_0) {
      if (to_lower(value) != "100-continue")
        return refuse(417, "The only supported Expect value is 100-continue.");
      head_.expects_continue = true;
    }
  }
  return {};
}

}  // namespace

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_character);
}

bool is_field_value(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f); });
}

std::expected<std::optional<std::size_t>, Refusal> HeadScanner::find_end(std::string_view bytes) {
  for (;;) {
    const std::size_t feed = bytes.find('\n', scanned_);
    if (feed == std::string_view::npos) {
      scanned_ = bytes.size();
      return std::nullopt;
    }
    if (feed == line_begin_ || bytes[feed - 1] != '\r') return refuse(400, "Lines must end with CR and LF.");
    const bool blank = feed == line_begin_ + 1;
    scanned_ = line_begin_ = feed + 1;
    if (!first_line_) first_line_ = scanned_;
    if (blank) return scanned_;
  }
}

std::expected<RequestHead, Refusal> parse_request_head(std::string_view head) {
  return HeadParser().parse(head);
}

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
    // Only CR LF may follow the data, so anything else fails before the line is complete.
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
