// Feeds arbitrary bytes to the parser of HTTP requests: libFuzzer, clang++ -fsanitize=fuzzer,address.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/request_parser.h"

namespace {

using namespace helve::http;

// The head in its usual form; reading that must give the same request.
std::string rewritten(const RequestHead& head) {
  std::string text = head.request.method + " " + head.request.path;
  if (!head.request.query.empty()) text += "?" + head.request.query;
  text += head.http_1_0 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n";
  for (const auto& [name, value] : head.request.headers)
    text.append(name).append(": ").append(value).append("\r\n");
  return text + "\r\n";
}

void check_head(std::string_view text) {
  // However it is cut, the head ends at the same place.
  HeadScanner whole;
  HeadScanner pieces;
  const auto end = whole.find_end(text);
  auto piecewise = pieces.find_end({});
  for (std::size_t size = 1; size <= text.size() && piecewise && !*piecewise; ++size)
    piecewise = pieces.find_end(text.substr(0, size));
  if (end.has_value() != piecewise.has_value() || (end && *end != *piecewise)) __builtin_trap();
  if (!end || !*end) return;
  const auto head = parse_request_head(text.substr(0, **end));
  if (!head) {
    if (head.error().status < 400 || head.error().reason.empty()) __builtin_trap();
    return;
  }
  const Headers& headers = head->request.headers;
  const std::size_t lengths = headers.count("content-length");
  const std::size_t codings = headers.count("transfer-encoding");
  if (lengths + codings > 1 || head->chunked != (codings == 1) || headers.count("host") > 1) __builtin_trap();
  for (const auto& [name, value] : headers)
    if (!is_token(name) || !is_field_value(value)) __builtin_trap();
  const auto again = parse_request_head(rewritten(*head));
  if (!again || again->length != head->length || again->chunked != head->chunked ||
      again->keep_alive != head->keep_alive || again->request.path != head->request.path ||
      again->request.query != head->request.query)
    __builtin_trap();
}

struct Decoded {
  std::string body = {};
  std::size_t used = 0;
  int status = 0;
  bool done = false;

  bool operator==(const Decoded&) const = default;
};

Decoded decode(std::string_view text, std::size_t piece_size) {
  ChunkedBody chunks(64);
  Decoded result;
  while (result.used < text.size() && !chunks.done()) {
    const auto used = chunks.take(text.substr(result.used, piece_size), result.body);
    if (!used) return {.status = used.error().status};
    result.used += *used;
  }
  result.done = chunks.done();
  if (result.body.size() > 64) __builtin_trap();
  return result;
}

}  // namespace

// The first byte chooses: a head, or a chunked body.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  if ((data[0] & 1) == 0) {
    check_head(text);
  } else {
    if (decode(text, 1) != decode(text, std::max<std::size_t>(text.size(), 1))) __builtin_trap();
  }
  return 0;
}
