// The streams on which a server over HTTP says things of its own accord.
#include <algorithm>

#include "base/strings.h"
#include "core/tool_run.h"
#include "gateway/http_channel.h"
#include "gateway/protocol.h"
#include "gateway/remote_tool.h"
#include "http/url.h"

namespace helve::gateway {
namespace {

using std::chrono::milliseconds;

constexpr auto kFirstPause = milliseconds(1'000);
constexpr auto kLongestPause = milliseconds(60'000);
constexpr auto kEndpointTime = milliseconds(10'000);

}  // namespace

void HttpChannel::start_stream() {
  const std::lock_guard lock(mutex_);
  if (closed_ || stream_.joinable()) return;
  stream_ = std::jthread([this](const std::stop_token& stop) { follow_stream(stop); });
}

void HttpChannel::stop_stream() {
  std::jthread before;
  {
    const std::lock_guard lock(mutex_);
    before = std::move(stream_);
  }
  before.request_stop();
  if (before.joinable()) before.join();
}

void HttpChannel::follow_stream(const std::stop_token& stop) {
  Cut cut;
  auto pause = kFirstPause;
  while (!stop.stop_requested()) {
    HttpTraffic::Attempt attempt{.method = "GET", .headers = {{"Accept", "text/event-stream"}}};
    if (!cut.last_event.empty()) add_header(attempt.headers, rpc::kLastEventHeader, cut.last_event);
    attempt.on_event = [&](http::SentEvent&& event) {
      take_event(std::move(event), cut, {});
      pause = kFirstPause;
      return true;
    };
    const auto reply = traffic_.send(attempt, {.stop = stop});
    // A server need not have such a stream; one that has ended its session has none any more.
    if (reply && !reply->was_stream && reply->response.status < 500) return;
    if (!reply && reply.error().code == ErrorCode::kPermissionDenied) return;
    const auto wanted = cut.retry_ms ? milliseconds(*cut.retry_ms) : pause;
    if (sleep_unless_stopped(std::min<milliseconds>(wanted, kLongestPause), stop)) return;
    pause = std::min<milliseconds>(pause * 2, kLongestPause);
  }
}

Expected<void> HttpChannel::start_old_transport(const Terms& terms) {
  stop_stream();
  std::unique_lock lock(mutex_);
  if (closed_) return fail(ErrorCode::kUnavailable, "The connection has been closed.");
  stream_error_.reset();
  stream_ = std::jthread([this](const std::stop_token& stop) { follow_old_stream(stop); });
  endpoint_known_.wait_until(lock, terms.stop, std::min(terms.deadline, Clock::now() + kEndpointTime),
                             [&] { return !endpoint_.empty() || stream_error_; });
  if (!endpoint_.empty()) return {};
  return fail(stream_error_.value_or(given_up_error(terms)));
}

void HttpChannel::follow_old_stream(const std::stop_token& stop) {
  Cut cut;
  const auto own = http::Url::parse(parts_.url);
  HttpTraffic::Attempt attempt{.method = "GET", .headers = {{"Accept", "text/event-stream"}}};
  attempt.on_event = [&](http::SentEvent&& event) {
    if (event.event != "endpoint") {
      take_event(std::move(event), cut, {});
      return true;
    }
    const auto target = own ? resolve(*own, trim(event.data)) : std::nullopt;
    // What we show of ourselves goes there, so that it has to be the same server.
    if (!target || target->origin() != own->origin()) return false;
    const std::lock_guard lock(mutex_);
    endpoint_ = target->text();
    endpoint_known_.notify_all();
    return true;
  };
  const auto reply = traffic_.send(attempt, {.stop = stop});
  Error why{ErrorCode::kUnavailable, "The server closed its stream."};
  if (!reply)
    why = reply.error();
  else if (!reply->was_stream)
    why = http_error(parts_.server, reply->response);
  bool was_open = false;
  {
    const std::lock_guard lock(mutex_);
    was_open = !endpoint_.empty();
    stream_error_ = why;
    endpoint_known_.notify_all();
  }
  if (!was_open || stop.stop_requested()) return;
  Error lost = why;
  lost.code = ErrorCode::kOutcomeUnknown;
  pending_.fail_all(lost);
  listener_.on_end(why);
}

}  // namespace helve::gateway
