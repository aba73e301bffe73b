// Feeds arbitrary bytes to the reader of server-sent events: libFuzzer, clang++ -fsanitize=fuzzer,address.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/sse.h"

namespace {

using namespace helve::http;

struct Read {
  std::vector<SentEvent> events = {};
  bool whole = true;
};

Read read(std::string_view text, std::size_t piece_size) {
  Read result;
  SseReader reader(100);
  for (std::size_t i = 0; i < text.size() && result.whole; i += piece_size)
    result.whole = reader.feed(text.substr(i, piece_size),
                               [&](SentEvent&& event) { result.events.push_back(std::move(event)); });
  return result;
}

bool same(const SentEvent& left, const SentEvent& right) {
  return left.event == right.event && left.data == right.data && left.id == right.id &&
         left.retry_ms == right.retry_ms;
}

}  // namespace

// However the stream is cut, the events are the same, and each one can be written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const Read whole = read(text, std::max<std::size_t>(size, 1));
  const Read bytes = read(text, 1);
  if (whole.whole != bytes.whole || !std::ranges::equal(whole.events, bytes.events, same)) __builtin_trap();
  for (const SentEvent& event : whole.events) {
    if (event.data.size() > 100) __builtin_trap();
    std::vector<SentEvent> again;
    SseReader reader;
    if (!reader.feed(to_text(event), [&](SentEvent&& copy) { again.push_back(std::move(copy)); }))
      __builtin_trap();
    if (again.size() != 1 || !same(again.front(), event)) __builtin_trap();
  }
  return 0;
}
