#include "mcp/http_carry.h"

#include "http/sse.h"
#include "rpc/mcp_protocol.h"

namespace helve::mcp {
namespace {

constexpr auto kKeepAlive = std::chrono::seconds(15);
constexpr long kRetryMs = 1'000;

http::Response stream_head(const Carriage& carriage) {
  http::Response head{.headers = carriage.headers};
  head.headers.add("Content-Type", "text/event-stream");
  head.headers.add("Cache-Control", "no-cache, no-transform");
  return head;
}

}  // namespace

int http_status_of(const rpc::Failure& failure) {
  switch (failure.code) {
    case rpc::kMethodNotFound: return 404;
    case rpc::kParseError:
    case rpc::kInvalidRequest:
    case rpc::kHeaderMismatch:
    case rpc::kMissingClientCapability:
    case rpc::kUnsupportedRevision: return 400;
    default: return 200;
  }
}

http::Response json_response(int status, std::string body) {
  http::Response response{.status = status, .body = std::move(body)};
  response.headers.add("Content-Type", "application/json");
  return response;
}

void LogResponder::answer(rpc::Response response) {
  has_failed_ = response.failure.has_value();
  if (response.failure) status_ = http_status_of(*response.failure);
  log_->finish(to_text(to_json(std::move(response))));
}

bool carry(http::Exchange& exchange, EventLog& log, const Carriage& carriage) {
  const std::uint64_t carrier = log.carry();
  std::uint64_t number = carriage.after;
  bool begun = false;
  const auto begin = [&] {
    if (begun) return;
    begun = true;
    http::Response head = stream_head(carriage);
    if (carriage.primed)
      head.body = http::to_text({.data = "", .id = log.id_of(number), .retry_ms = kRetryMs});
    exchange.begin(std::move(head));
  };
  if (carriage.stream_only) begin();
  for (;;) {
    const EventLog::Next next = log.after(number, carrier, exchange.stop(), kKeepAlive);
    if (exchange.stop().stop_requested()) return false;
    switch (next.kind) {
      case EventLog::Next::Kind::kEvent: {
        if (auto only = begun ? std::nullopt : log.only_event()) {
          const int status = carriage.responder != nullptr ? carriage.responder->status() : 200;
          http::Response response = json_response(status, *std::move(only));
          for (const auto& [name, value] : carriage.headers) response.headers.add(name, value);
          exchange.respond(std::move(response));
          return true;
        }
        begin();
        http::SentEvent event{.event = "message", .data = next.text};
        if (carriage.numbered) event.id = log.id_of(next.number);
        if (!exchange.write(http::to_text(event))) return false;
        number = next.number;
        log.mark_carried(number);
        break;
      }
      case EventLog::Next::Kind::kNothing:
        if (begun && !exchange.write(": still here\n\n")) return false;
        break;
      case EventLog::Next::Kind::kInterrupted: begin(); return false;
      case EventLog::Next::Kind::kFinished: begin(); return true;
    }
  }
}

}  // namespace helve::mcp
