#include "mcp/http_stream.h"

#include "base/strings.h"
#include "base/to_number.h"
#include "http/sse.h"
#include "rpc/mcp_protocol.h"

namespace helve::mcp {

void EventLog::append(std::string text) {
  if (finished_) return;
  bytes_ += text.size();
  events_.push_back(std::move(text));
  while (bytes_ > most_bytes_ && events_.size() > 1) {
    bytes_ -= events_.front().size();
    events_.pop_front();
    ++first_;
  }
}

void EventLog::add(std::string text) {
  const std::lock_guard lock(mutex_);
  append(std::move(text));
  changed_.notify_all();
}

void EventLog::finish() {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  changed_.notify_all();
}

void EventLog::finish(std::string last) {
  const std::lock_guard lock(mutex_);
  append(std::move(last));
  finished_ = true;
  changed_.notify_all();
}

void EventLog::detach() {
  const std::lock_guard lock(mutex_);
  ++reader_;
  changed_.notify_all();
}

std::uint64_t EventLog::attach() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
  return ++reader_;
}

EventLog::Next EventLog::after(std::uint64_t number, std::uint64_t reader, const std::stop_token& stop,
                               std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  const auto is_there = [&] { return first_ + events_.size() > number + 1; };
  changed_.wait_for(lock, stop, wait, [&] { return is_there() || finished_ || reader_ != reader; });
  if (reader_ != reader) return {.kind = Next::Kind::kDetached};
  if (is_there()) {
    const std::uint64_t next = std::max(number + 1, first_);
    return {Next::Kind::kEvent, events_[next - first_], next};
  }
  return {.kind = finished_ ? Next::Kind::kFinished : Next::Kind::kNothing};
}

std::uint64_t EventLog::delivered() const {
  const std::lock_guard lock(mutex_);
  return delivered_;
}

void EventLog::mark_delivered(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  delivered_ = std::max(delivered_, number);
}

std::string EventLog::id_of(std::uint64_t number) const {
  return concat(std::to_string(stream_), "-", std::to_string(number));
}

bool EventLog::is_finished() const {
  const std::lock_guard lock(mutex_);
  return finished_;
}

std::optional<std::string> EventLog::only_event() const {
  const std::lock_guard lock(mutex_);
  if (!finished_ || events_.size() != 1 || first_ != 1) return {};
  return events_.front();
}

std::optional<EventId> read_event_id(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return {};
  const auto stream = to_number<decltype(EventId::stream)>(text.substr(0, dash));
  const auto number = to_number<decltype(EventId::number)>(text.substr(dash + 1));
  if (!stream || !number) return {};
  return EventId{.stream = *stream, .number = *number};
}

namespace {

constexpr auto kKeepAlive = std::chrono::seconds(15);
constexpr long kRetryMs = 1'000;

http::Response stream_head(const StreamOptions& options) {
  http::Response head{.headers = options.headers};
  head.headers.add("Content-Type", "text/event-stream");
  head.headers.add("Cache-Control", "no-cache, no-transform");
  return head;
}

int http_status(const rpc::Failure& failure) {
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

}  // namespace

http::Response json_response(int status, std::string body) {
  http::Response response{.status = status, .body = std::move(body)};
  response.headers.add("Content-Type", "application/json");
  return response;
}

void LogResponder::answer(rpc::Response response) {
  has_failed_ = response.failure.has_value();
  if (response.failure) status_ = http_status(*response.failure);
  log_->finish(to_text(to_json(std::move(response))));
}

bool send_events(http::Exchange& exchange, EventLog& log, const StreamOptions& options) {
  const std::uint64_t reader = log.attach();
  std::uint64_t number = options.after;
  bool started = false;
  const auto begin = [&] {
    if (started) return;
    started = true;
    http::Response head = stream_head(options);
    if (options.primed)
      head.body = http::to_text({.data = "", .id = log.id_of(number), .retry_ms = kRetryMs});
    exchange.begin(std::move(head));
  };
  if (options.stream_only) begin();
  for (;;) {
    const EventLog::Next next = log.after(number, reader, exchange.stop(), kKeepAlive);
    if (exchange.stop().stop_requested()) return false;
    switch (next.kind) {
      case EventLog::Next::Kind::kEvent: {
        if (auto only = started ? std::nullopt : log.only_event()) {
          const int status = options.responder != nullptr ? options.responder->status() : 200;
          http::Response response = json_response(status, *std::move(only));
          for (const auto& [name, value] : options.headers) response.headers.add(name, value);
          exchange.respond(std::move(response));
          return true;
        }
        begin();
        http::SentEvent event{.event = "message", .data = next.text};
        if (options.numbered) event.id = log.id_of(next.number);
        if (!exchange.write(http::to_text(event))) return false;
        number = next.number;
        log.mark_delivered(number);
        break;
      }
      case EventLog::Next::Kind::kNothing:
        if (started && !exchange.write(": still here\n\n")) return false;
        break;
      case EventLog::Next::Kind::kDetached: begin(); return false;
      case EventLog::Next::Kind::kFinished: begin(); return true;
    }
  }
}

}  // namespace helve::mcp
