#include "gateway/http_traffic.h"

#include "base/strings.h"
#include "base/utf8.h"
#include "gateway/oauth_discovery.h"
#include "gateway/protocol.h"
#include "gateway/remote_tool.h"

namespace helve::gateway {
namespace {

constexpr int kMostRenewals = 3;  // of the authorization within one request

}  // namespace

void HttpTraffic::set_session(std::string session) {
  const std::lock_guard lock(mutex_);
  session_ = std::move(session);
}

void HttpTraffic::set_revision(std::string revision) {
  const std::lock_guard lock(mutex_);
  revision_ = std::move(revision);
}

std::string HttpTraffic::session() const {
  const std::lock_guard lock(mutex_);
  return session_;
}

Expected<HttpReply> HttpTraffic::send(const Attempt& attempt, const Terms& terms) {
  for (int renewals = 0;; ++renewals) {
    const std::string authorization = parts_.authoriser ? parts_.authoriser->authorization() : std::string();
    auto reply = send_once(attempt, authorization, terms);
    if (!reply || !parts_.authoriser || !needs_authorization(reply->response)) return reply;
    if (renewals == kMostRenewals || !attempt.may_log_in) return reply;
    if (auto renewed = parts_.authoriser->renew(reply->response, authorization, terms); !renewed)
      return fail(renewed.error());
  }
}

Expected<HttpReply> HttpTraffic::send_once(const Attempt& attempt, const std::string& authorization,
                                           const Terms& terms) {
  http::ClientRequest request{.method = attempt.method,
                              .url = attempt.url.empty() ? parts_.url : attempt.url,
                              .headers = parts_.headers,
                              .body = attempt.body};
  for (const auto& [name, value] : attempt.headers) request.headers.add(name, value);
  {
    const std::lock_guard lock(mutex_);
    if (attempt.for_session && !session_.empty()) add_header(request.headers, rpc::kSessionHeader, session_);
    if (!revision_.empty() && request.headers.count(rpc::kRevisionHeader) == 0)
      add_header(request.headers, rpc::kRevisionHeader, revision_);
  }
  if (!authorization.empty()) request.headers.add("Authorization", authorization);
  if (terms.deadline != Clock::time_point::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(terms.deadline - Clock::now());
    if (left.count() <= 0)
      return fail(ErrorCode::kTimeout, "The time limit was reached before the request was sent.");
    request.total_time = left;
  }
  HttpReply reply;
  http::SseReader events(parts_.longest_message);
  bool too_long = false;
  bool enough = false;
  http::Sink sink;
  sink.on_head = [&](const http::Response& head) {
    reply.response = head;
    const std::string* type = head.headers.find("content-type");
    reply.was_stream = type != nullptr && to_lower(*type).starts_with("text/event-stream") &&
                       head.status >= 200 && head.status < 300 && attempt.on_event;
    if (attempt.on_head) attempt.on_head(head);
  };
  sink.on_body = [&](std::string_view piece) {
    if (reply.was_stream) {
      too_long = !events.feed(piece, [&](http::SentEvent&& event) {
        if (!enough) enough = !attempt.on_event(std::move(event));
      });
      return !too_long && !enough;
    }
    too_long = reply.response.body.size() + piece.size() > parts_.longest_message;
    if (!too_long) reply.response.body += piece;
    return !too_long;
  };
  auto streamed = client_.stream(request, sink, terms.stop);
  if (too_long)
    return fail(ErrorCode::kExecutionFailed,
                concat("The server sent a message of more than ", with_thousands(parts_.longest_message),
                       " bytes, which is too long."),
                "Ask for less at once.");
  if (!streamed) return fail(streamed.error());
  return reply;
}

Error http_error(std::string_view server, const http::Response& response) {
  constexpr std::size_t kShown = 500;
  const std::string text = shortened(to_valid_utf8(trim(response.body)), kShown);
  Error error{ErrorCode::kUnavailable, concat("The MCP server ", server, " answered with HTTP status ",
                                              response.status, text.empty() ? "." : concat(": ", text))};
  error.kind = ErrorKind::kHttpStatus;
  error.details = JsonObject{{"status", response.status}};
  if (response.status == 401 || response.status == 403) {
    error.code = ErrorCode::kPermissionDenied;
    error.hint = "Log in at the server, or configure its token in the settings.";
  }
  if (const std::string* location = response.headers.find("location");
      location != nullptr && response.status >= 300 && response.status < 400)
    error.hint = concat("The server has moved. Change its url to ", shortened(*location, kShown));
  return error;
}

int http_status(const Error& error) {
  const Json* status = error.details.find("status");
  std::int64_t number = 0;
  return status != nullptr && status->is_number() && status->fits_int64(number) ? static_cast<int>(number)
                                                                                : 0;
}

}  // namespace helve::gateway
