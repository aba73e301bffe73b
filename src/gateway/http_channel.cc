#include "gateway/http_channel.h"

#include <algorithm>

#include "base/either_stop.h"
#include "base/json_parse.h"
#include "base/strings.h"
#include "base/threads.h"
#include "base/utf8.h"
#include "core/tool_run.h"
#include "gateway/protocol.h"
#include "gateway/remote_tool.h"
#include "http/url.h"

namespace helve::gateway {
namespace {

using std::chrono::milliseconds;

constexpr int kMostResumptions = 8;  // in a row without a new event
constexpr auto kUsualRetry = milliseconds(1'000);
constexpr auto kLongestRetry = milliseconds(60'000);
constexpr auto kFarewellTime = milliseconds(2'000);  // for messages whose answer does not matter

Terms farewell_terms(const std::stop_token& stop = {}) {
  return {.stop = stop, .deadline = Clock::now() + kFarewellTime};
}

bool is_success(const http::Response& response) { return response.status >= 200 && response.status < 300; }

// Whether the server does not know the session. The protocol says 404; servers made with the reference SDK
// often answer 400 after a restart. Neither has run the request.
bool denies_session(const http::Response& response) {
  if (response.status == 404) return true;
  if (response.status != 400) return false;
  const std::string text = to_lower(response.body);
  return text.find("session") != std::string::npos || text.find("not initialized") != std::string::npos;
}

http::Headers json_headers() {
  return {{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}};
}

// The stateless protocol repeats parts of a request in headers, for proxies that do not read bodies.
void add_mirrored_headers(http::Headers& headers, const rpc::Request& request) {
  add_header(headers, rpc::kMethodHeader, request.method);
  if (const Json* meta = request.params.find("_meta"))
    if (const std::string revision = text_member(*meta, rpc::kMetaRevision); !revision.empty())
      add_header(headers, rpc::kRevisionHeader, revision);
  const std::string_view key = request.method == "resources/read"                                  ? "uri"
                               : request.method == "tools/call" || request.method == "prompts/get" ? "name"
                                                                                                   : "";
  if (key.empty()) return;
  if (const std::string name = text_member(request.params, key); !name.empty())
    add_header(headers, rpc::kNameHeader, header_value(name));
}

milliseconds pause_after(std::optional<long> retry_ms) {
  return std::min(retry_ms ? milliseconds(*retry_ms) : kUsualRetry, kLongestRetry);
}

}  // namespace

HttpChannel::HttpChannel(HttpTraffic::Parts parts, Listener& listener, Logger& logger)
    : parts_(parts), listener_(listener), logger_(logger), traffic_(std::move(parts)) {}

HttpChannel::~HttpChannel() { close(); }

std::string HttpChannel::endpoint() const {
  const std::lock_guard lock(mutex_);
  return endpoint_;
}

void HttpChannel::begin(std::string_view revision) {
  const bool stateless = rpc::protocol_of(revision) == rpc::Protocol::kStateless;
  {
    const std::lock_guard lock(mutex_);
    stateless_ = stateless;
  }
  traffic_.set_revision(std::string(revision));
  if (stateless || !endpoint().empty()) return;
  stop_stream();  // of the previous session
  start_stream();
}

void HttpChannel::close() {
  std::jthread stream;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(closed_, true)) return;
    stream = std::move(stream_);
  }
  closing_.request_stop();
  stream.request_stop();
  if (stream.joinable()) stream.join();
  pending_.fail_all({ErrorCode::kUnavailable, "The connection has been closed."});
  // May fail: servers drop idle sessions anyway.
  if (!traffic_.session().empty())
    static_cast<void>(traffic_.send({.method = "DELETE", .may_log_in = false}, farewell_terms()));
}

Expected<rpc::Response> HttpChannel::exchange(rpc::Request request, const Terms& terms) {
  std::int64_t id = 0;
  if (!request.id.fits_int64(id)) return fail(ErrorCode::kExecutionFailed, "A request id must be a number.");
  if (request.method == "initialize") {
    traffic_.set_session({});
    traffic_.set_revision({});
  }
  PendingReplies::Entry entry(pending_, id, terms.caller);
  if (!endpoint().empty()) return exchange_over_stream(request, terms, entry);
  auto reply = exchange_by_post(request, terms, entry);
  const int status = reply ? 0 : http_status(reply.error());
  if (request.method != "initialize" || (status != 400 && status != 404 && status != 405)) return reply;
  if (auto started = start_sse_transport(terms); !started) return reply;
  return exchange_over_stream(request, terms, entry);
}

Expected<rpc::Response> HttpChannel::exchange_by_post(const rpc::Request& request, const Terms& terms,
                                                      PendingReplies::Entry& entry) {
  const EitherStop either(terms.stop, closing_.get_token());
  const EitherStop stop(either.token(), entry.answered());
  Terms own = terms;
  own.stop = stop.token();
  bool reached = false;
  Cut cut;
  HttpTraffic::Attempt attempt{.body = to_text(to_json(request)), .headers = json_headers()};
  if (terms.stateless) add_mirrored_headers(attempt.headers, request);
  for (const auto& [name, value] : terms.headers) attempt.headers.add(name, value);
  attempt.for_session = request.method != "initialize";
  attempt.on_head = [&](const http::Response& head) {
    reached = is_success(head);
    const std::string* session = head.headers.find(rpc::kSessionHeader);
    if (request.method == "initialize" && reached && session != nullptr) traffic_.set_session(*session);
  };
  attempt.on_event = [&](http::SentEvent&& event) {
    take_event(std::move(event), cut, terms.caller);
    return !entry.answered().stop_requested();
  };
  auto reply = traffic_.send(attempt, own);
  // Resumes a stream that was cut. The number of resumptions is not limited as long as each brings new
  // events.
  for (int idle = 0; idle < kMostResumptions && !terms.stateless && !cut.last_event.empty(); ++idle) {
    if (own.stop.stop_requested() || (reply && !reply->was_stream)) break;
    if (!reply && (reply.error().code == ErrorCode::kOutcomeUnknown || Clock::now() >= own.deadline)) break;
    const std::string before = cut.last_event;
    reply = resume(cut, own, terms.caller);
    if (cut.last_event != before) idle = 0;
  }
  if (auto answer = entry.take()) return *std::move(answer);
  if (!reply) {
    Error error = reply.error();
    if (terms.stop.stop_requested() || error.code == ErrorCode::kTimeout) {
      error = stop_error(terms);
      send_cancellation(request, error, terms);
    } else if (closing_.stop_requested() || (reached && error.code == ErrorCode::kUnavailable)) {
      error.code = ErrorCode::kOutcomeUnknown;
    }
    return fail(std::move(error));
  }
  return read_reply(request, *reply, terms, entry);
}

// Reads an answer that is not a stream.
Expected<rpc::Response> HttpChannel::read_reply(const rpc::Request& request, const HttpReply& reply,
                                                const Terms& terms, PendingReplies::Entry& entry) {
  if (reply.was_stream)
    return fail(ErrorCode::kOutcomeUnknown, "The server closed the stream before it answered.");
  const http::Response& response = reply.response;
  if (!terms.stateless && !traffic_.session().empty() && denies_session(response))
    return fail(ErrorKind::kSessionEnded, ErrorCode::kUnavailable, "The server has ended the session.");
  if (!is_success(response)) {
    // The body of an error status may hold a JSON-RPC error.
    auto json = parse_json(response.body, rpc::kServerLimits);
    auto message = json ? rpc::read_message(*std::move(json)) : std::unexpected(rpc::Malformed{});
    auto* refusal = message ? std::get_if<rpc::Response>(&*message) : nullptr;
    if (refusal == nullptr || !refusal->failure || response.status == 401 || response.status == 403)
      return fail(http_error(parts_.server, response));
    refusal->id = request.id;
    return std::move(*refusal);
  }
  take_text(response.body, terms.caller);
  if (auto answer = entry.take()) return *std::move(answer);
  return fail(ErrorCode::kExecutionFailed,
              concat("The MCP server ", parts_.server, " answered ", request.method, " with HTTP status ",
                     response.status, " and without an answer."));
}

Expected<HttpReply> HttpChannel::resume(Cut& cut, const Terms& terms,
                                        const std::shared_ptr<const Caller>& caller) {
  const auto pause = std::min<Clock::duration>(pause_after(cut.retry_ms), terms.deadline - Clock::now());
  if (core::sleep_unless_stopped(std::chrono::ceil<milliseconds>(pause), terms.stop))
    return fail(ErrorCode::kCancelled, "The request was cancelled.");
  HttpTraffic::Attempt attempt{
      .method = "GET",
      .headers = {{"Accept", "text/event-stream"}, {std::string(rpc::kLastEventHeader), cut.last_event}}};
  attempt.on_event = [&](http::SentEvent&& event) {
    take_event(std::move(event), cut, caller);
    return !terms.stop.stop_requested();
  };
  auto reply = traffic_.send(attempt, terms);
  if (reply && !is_success(reply->response))
    return fail(ErrorCode::kOutcomeUnknown, "The stream was cut, and the server does not resume it.");
  return reply;
}

void HttpChannel::send_cancellation(const rpc::Request& request, const Error& error, const Terms& terms) {
  // In the stateless protocol, closing the stream cancels the request.
  if (terms.stateless || !terms.sends_cancellation || closing_.stop_requested()) return;
  const Json message =
      to_json(rpc::Notification{.method = "notifications/cancelled",
                                .params = JsonObject{{"requestId", request.id}, {"reason", error.message}}});
  static_cast<void>(
      workers_.start([this, message] { static_cast<void>(post(message, "notifications/cancelled")); }));
}

Expected<void> HttpChannel::post(const Json& message, std::string_view method) {
  HttpTraffic::Attempt attempt{.url = endpoint(), .body = to_text(message), .headers = json_headers()};
  {
    const std::lock_guard lock(mutex_);
    if (stateless_ && !method.empty()) add_header(attempt.headers, rpc::kMethodHeader, std::string(method));
  }
  // Longer than kFarewellTime, because the user may have to log in first.
  const auto reply = traffic_.send(
      attempt, {.stop = closing_.get_token(), .deadline = Clock::now() + std::chrono::minutes(1)});
  if (!reply) return fail(reply.error());
  if (!is_success(reply->response)) return fail(http_error(parts_.server, reply->response));
  return {};
}

Expected<void> HttpChannel::notify(rpc::Notification notification) {
  const std::string method = notification.method;
  return post(to_json(std::move(notification)), method);
}

Expected<void> HttpChannel::respond(rpc::Response response) { return post(to_json(std::move(response)), {}); }

void HttpChannel::take_event(http::SentEvent event, Cut& cut, const std::shared_ptr<const Caller>& caller) {
  if (event.id) cut.last_event = *event.id;
  if (event.retry_ms) cut.retry_ms = event.retry_ms;
  if (event.data.empty() || (!event.event.empty() && event.event != "message")) return;
  take_text(event.data, caller);
}

void HttpChannel::take_text(std::string_view text, const std::shared_ptr<const Caller>& caller) {
  auto json = parse_json(text, rpc::kServerLimits);
  JsonArray messages;
  if (json && json->is_array())
    messages = std::move(json->as_array());  // a batch, which protocol version 2025-03-26 allows
  else if (json)
    messages.push_back(*std::move(json));
  for (Json& each : messages) {
    auto message = rpc::read_message(std::move(each));
    if (!message) {
      logger_.debug("MCP server sent an invalid message", {{"server", parts_.server}});
    } else if (auto* response = std::get_if<rpc::Response>(&*message)) {
      pending_.deliver(std::move(*response));
    } else if (auto* request = std::get_if<rpc::Request>(&*message)) {
      listener_.on_request(std::move(*request), caller ? caller : pending_.only_caller());
    } else {
      listener_.on_notification(std::move(std::get<rpc::Notification>(*message)));
    }
  }
}

Expected<rpc::Response> HttpChannel::exchange_over_stream(const rpc::Request& request, const Terms& terms,
                                                          PendingReplies::Entry& entry) {
  const EitherStop stop(terms.stop, entry.answered());
  Terms own = terms;
  own.stop = stop.token();
  const auto sent =
      traffic_.send({.url = endpoint(), .body = to_text(to_json(request)), .headers = json_headers()}, own);
  if (auto answer = entry.take()) return *std::move(answer);
  if (sent && !is_success(sent->response)) return fail(http_error(parts_.server, sent->response));
  if (!sent && !terms.stop.stop_requested()) return fail(sent.error());
  auto reply = entry.wait(terms);
  if (!reply && (reply.error().code == ErrorCode::kCancelled || reply.error().code == ErrorCode::kTimeout))
    send_cancellation(request, reply.error(), terms);
  return reply;
}

namespace {

using std::chrono::milliseconds;

constexpr auto kFirstPause = milliseconds(1'000);
constexpr auto kLongestPause = milliseconds(60'000);
constexpr auto kEndpointTime = milliseconds(10'000);

}  // namespace

void HttpChannel::start_stream() {
  const std::lock_guard lock(mutex_);
  if (closed_ || stream_.joinable()) return;
  // The stream is optional.
  static_cast<void>(try_start_thread(stream_, [this](const std::stop_token& stop) { follow_stream(stop); }));
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
    // The stream is optional, and it is gone when the session has ended.
    if (reply && !reply->was_stream && reply->response.status < 500) return;
    if (!reply && reply.error().code == ErrorCode::kPermissionDenied) return;
    const auto wanted = cut.retry_ms ? milliseconds(*cut.retry_ms) : pause;
    if (core::sleep_unless_stopped(std::min<milliseconds>(wanted, kLongestPause), stop)) return;
    pause = std::min<milliseconds>(pause * 2, kLongestPause);
  }
}

Expected<void> HttpChannel::start_sse_transport(const Terms& terms) {
  stop_stream();
  std::unique_lock lock(mutex_);
  if (closed_) return fail(ErrorCode::kUnavailable, "The connection has been closed.");
  stream_error_.reset();
  if (!try_start_thread(stream_, [this](const std::stop_token& stop) { follow_sse_transport(stop); }))
    return fail(no_thread_error("so the server's answers cannot be read"));
  endpoint_known_.wait_until(lock, terms.stop, std::min(terms.deadline, Clock::now() + kEndpointTime),
                             [&] { return !endpoint_.empty() || stream_error_; });
  if (!endpoint_.empty()) return {};
  return fail(stream_error_.value_or(stop_error(terms)));
}

void HttpChannel::follow_sse_transport(const std::stop_token& stop) {
  Cut cut;
  const auto own = http::Url::parse(parts_.url);
  HttpTraffic::Attempt attempt{.method = "GET", .headers = {{"Accept", "text/event-stream"}}};
  attempt.on_event = [&](http::SentEvent&& event) {
    if (event.event != "endpoint") {
      take_event(std::move(event), cut, {});
      return true;
    }
    const auto target = own ? resolve(*own, trim(event.data)) : std::nullopt;
    // Our credentials go there, so it must be the same origin.
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
