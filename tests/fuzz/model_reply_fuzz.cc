// Feeds arbitrary streams to the readers of models' replies: libFuzzer, clang++ -fsanitize=fuzzer,address.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "base/json_parse.h"
#include "http/sse.h"
#include "model/dialect.h"

namespace {

using namespace helve;
using namespace helve::model;

// Every reply that was read has calls with ids of their own, and can be sent back to either kind of server.
void check(const Reply& reply) {
  std::set<std::string> ids;
  for (const ToolCall& call : reply.calls)
    if (call.id.empty() || !ids.insert(call.id).second) __builtin_trap();
  if (read_plain(reply.raw).calls.size() != reply.calls.size()) __builtin_trap();
  const Conversation conversation{.turns = {UserTurn{"Hi"}, ModelTurn{reply.raw}}};
  for (const auto& dialect : {openai_dialect(), anthropic_dialect()})
    if (!parse_json(to_text(dialect->request(conversation, {.model = "m"})), {.max_depth = 80}))
      __builtin_trap();
}

void read_stream(const Dialect& dialect, std::string_view text) {
  const Endpoint endpoint;
  const Listener listener;
  const auto reader = dialect.reader(listener, endpoint);
  bool failed = false;
  http::SseReader events;
  if (!events.feed(text, [&](http::SentEvent&& event) { failed = failed || !reader->take(event); })) return;
  if (!failed && reader->has_ended()) check(reader->finish());
}

void read_whole(const Dialect& dialect, std::string_view text) {
  const auto answer = parse_json(text);
  if (!answer) return;
  const Endpoint endpoint;
  const Listener listener;
  const auto reader = dialect.reader(listener, endpoint);
  if (reader->take_whole(*answer) && reader->has_ended()) check(reader->finish());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  for (const auto& dialect : {openai_dialect(), anthropic_dialect()}) {
    read_stream(*dialect, text);
    read_whole(*dialect, text);
  }
  const Endpoint endpoint;
  for (const int status : {200, 400, 404, 429, 500})
    if (answer_error(status, {}, text, endpoint).message.empty()) __builtin_trap();
  return 0;
}
