// Measures the cost per token of reading a model's stream, beside the transfer of the same bytes with libcurl
// alone.
#include <cstdio>
#include <memory>
#include <string>

#include "base/strings.h"
#include "helve/log.h"
#include "http/client.h"
#include "http/server.h"
#include "measure.h"
#include "model/dialect.h"
#include "model/remote_model.h"

namespace helve::bench {
namespace {

constexpr int kTokens = 20'000;

// Chunks as OpenAI sends them, with everything that is of no use here.
std::string chat_stream() {
  std::string text;
  for (int i = 0; i < kTokens; ++i)
    text += concat(
        R"(data: {"id":"chatcmpl-Bx7kQ2mNpLr9sT4vWy8zA1cD","object":"chat.completion.chunk","created":1794753276,)",
        R"("model":"some-model-2026-01-01","service_tier":"default","system_fingerprint":"fp_0123456789",)",
        R"("choices":[{"index":0,"delta":{"content":" word)", i % 10,
        R"("},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"x8Kq"})", "\n\n");
  return text +
         "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
}

std::string message_stream() {
  std::string text =
      "event: message_start\ndata: "
      "{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9}}}\n\n"
      "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{"
      "\"type\":\"text\",\"text\":\"\"}}\n\n";
  for (int i = 0; i < kTokens; ++i)
    text += concat("event: content_block_delta\ndata: ",
                   R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" word)",
                   i % 10, "\"}}\n\n");
  return text +
         "event: message_delta\ndata: "
         "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n"
         "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
}

void bench_dialect(const std::string& name, const std::string& stream,
                   std::unique_ptr<model::Dialect> dialect) {
  Logger logger(LogLevel::kError);
  const auto server = http::Server::start(
      {},
      [&](http::Exchange& exchange) {
        exchange.respond({.headers = {{"Content-Type", "text/event-stream"}}, .body = stream});
      },
      logger);
  if (!server) return;
  const std::string url = concat("http://127.0.0.1:", (*server)->port(), "/");
  http::Client client;
  const auto model = model::remote_model(std::move(dialect), {.url = url, .request = {.model = "m"}});
  std::size_t bytes = 0;
  std::size_t heard = 0;
  const http::Sink sink{.on_body = [&](std::string_view piece) {
    bytes += piece.size();
    return true;
  }};
  const model::Listener listener{.on_text = [&](std::string_view piece) { heard += piece.size(); }};
  auto timings =
      measure({{"libcurl alone",
                [&] { (void)client.stream({.method = "POST", .url = url, .body = "{}"}, sink, {}); }},
               {"as a reply", [&] { (void)model->reply({.turns = {model::UserTurn{"Hi"}}}, listener, {}); }}},
              30);
  if (bytes == 0 || heard == 0) {
    std::fprintf(stderr, "the stream of %s was not read\n", name.c_str());
    return;
  }
  for (Timing& timing : timings) {
    timing.median_us /= kTokens;
    timing.best_us /= kTokens;
  }
  print_rows(name, timings);
}

}  // namespace

void bench_model() {
  print_heading("A streamed token of a model's reply, of 20,000 over loopback");
  bench_dialect("Chat Completions", chat_stream(), model::openai_dialect());
  bench_dialect("Messages", message_stream(), model::anthropic_dialect());
}

}  // namespace helve::bench
