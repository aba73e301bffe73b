#include "mcp/http_endpoint.h"

#include <malloc.h>

#include "base/json_parse.h"
#include "base/strings.h"
#include "http/response_text.h"
#include "mcp/http_carry.h"
#include "mcp/http_headers.h"
#include "mcp/message_intake.h"

namespace helve::mcp {
namespace {

using rpc::Era;

void refuse(http::Exchange& exchange, int status, rpc::Failure failure, Json id = {}) {
  exchange.respond(json_response(
      status, to_text(to_json(rpc::Response{.id = std::move(id), .failure = std::move(failure)}))));
}

// Methods that may take their time or ask; they run on a thread of their own, so that the one of the HTTP
// request can tell their progress and see the client go.
bool takes_time(std::string_view method) {
  return method == "tools/call" || method == "prompts/get" || method == "resources/read" ||
         method == "resources/list" || method == "subscriptions/listen" || method == "tasks/result" ||
         method == "completion/complete";
}

bool says_modern(const http::Request& request, const Json& message) {
  const std::string* revision = request.headers.find(rpc::kRevisionHeader);
  if (revision != nullptr && trim(*revision) == rpc::kModernRevision) return true;
  const Json* params = message.find("params");
  const Json* meta = params != nullptr ? params->find("_meta") : nullptr;
  const Json* method = message.find("method");
  return (meta != nullptr && meta->find(rpc::kMetaRevision) != nullptr) ||
         (method != nullptr && *method == Json("server/discover"));
}

}  // namespace

void HttpEndpoint::sweep(const HttpSessions::Limits& limits) {
  modern_seats_.forget_idle(limits.idle);
  // Many threads that take and free memory in turn leave it in pieces, which glibc keeps for good: after
  // hours of use several times what is in use. Giving it back takes milliseconds.
  constexpr std::chrono::seconds kPause{30};
  const auto now = std::chrono::steady_clock::now();
  if (now - memory_returned_ < kPause) return;
  memory_returned_ = now;
  ::malloc_trim(0);
}

void HttpEndpoint::handle(http::Exchange& exchange) {
  const http::Request& request = exchange.request();
  if (auto wrong = check_content_headers(request)) return exchange.respond(*std::move(wrong));
  if (request.method == "POST") return post(exchange);
  if (request.method == "GET") return get(exchange);
  if (request.method == "DELETE") return end_session(exchange);
  exchange.respond(http::method_not_allowed("POST, GET, DELETE"));
}

void HttpEndpoint::post(http::Exchange& exchange) {
  auto message = parse_json(exchange.request().body);
  exchange.request().body = {};
  if (!message) {
    rpc::Response response = not_json(message.error());
    return refuse(exchange, 400, *std::move(response.failure));
  }
  if (!says_modern(exchange.request(), *message)) return post_old(exchange, *std::move(message));
  auto read = rpc::read_message(*std::move(message));
  if (!read) return refuse(exchange, 400, std::move(read.error().failure), std::move(read.error().id));
  if (auto* request = std::get_if<rpc::Request>(&*read)) return post_modern(exchange, std::move(*request));
  exchange.respond({.status = 202});  // nothing can be notified of here: closing the stream cancels
}

void HttpEndpoint::post_modern(http::Exchange& exchange, rpc::Request request) {
  if (!Server::knows(request.method, Era::kModern))
    return refuse(exchange, 404, *Server::check(request, Era::kModern), request.id);
  if (auto wrong = check_modern_headers(exchange.request().headers, request, server_.offers().tools))
    return refuse(exchange, 400, *std::move(wrong), request.id);
  if (auto wrong = Server::check(request, Era::kModern))
    return refuse(exchange, 400, *std::move(wrong), request.id);

  const auto client = modern_client(request);
  const auto log = std::make_shared<EventLog>(0);
  const auto responder = std::make_shared<LogResponder>(log);
  const Json id = request.id;
  if (!takes_time(request.method)) {
    server_.serve(client, Era::kModern, std::move(request), responder);
  } else {
    auto job = workers_.start([this, client, request = std::move(request), responder]() mutable {
      server_.serve(client, Era::kModern, std::move(request), responder);
    });
    if (!job) return refuse(exchange, 503, {rpc::kInternalError, job.error().message}, id);
  }
  if (!carry(exchange, *log, {.responder = responder.get()})) client->cancel_all();
}

std::shared_ptr<Client> HttpEndpoint::modern_client(const rpc::Request& request) {
  const Json* meta = request.params.find("_meta");
  const Json* info = meta != nullptr ? meta->find(rpc::kMetaClientInfo) : nullptr;
  const Json* name = info != nullptr ? info->find("name") : nullptr;
  return std::make_shared<Client>(
      modern_seats_.find(name != nullptr && name->is_string() ? name->as_string() : std::string()));
}

std::shared_ptr<HttpSession> HttpEndpoint::session_of(http::Exchange& exchange, const Json& request_id) {
  const std::string* revision = exchange.request().headers.find(rpc::kRevisionHeader);
  if (revision != nullptr && !rpc::is_known_revision(trim(*revision))) {
    refuse(exchange, 400, {rpc::kInvalidRequest, concat("Revision ", *revision, " is not spoken here.")},
           request_id);
    return nullptr;
  }
  const std::string* id = exchange.request().headers.find(rpc::kSessionHeader);
  if (id == nullptr) {
    refuse(exchange, 400,
           {rpc::kInvalidRequest, "The header Mcp-Session-Id is missing; begin with initialize."},
           request_id);
    return nullptr;
  }
  auto session = sessions_.find(*id);
  if (!session)
    refuse(exchange, 404,
           {rpc::kRequestTimedOut, "There is no such session (any more); begin with initialize."},
           request_id);
  return session;
}

void HttpEndpoint::initialize(http::Exchange& exchange, rpc::Request request) {
  const auto session = sessions_.create();
  if (!session)
    return refuse(exchange, 503, {rpc::kInternalError, "Too many sessions are open."}, request.id);
  const auto log = std::make_shared<EventLog>(0);
  const auto responder = std::make_shared<LogResponder>(log);
  server_.serve(session->client(), Era::kOld, std::move(request), responder);
  Carriage carriage{.responder = responder.get()};
  if (responder->has_failed())
    sessions_.end(session->id());
  else
    carriage.headers.add(std::string(rpc::kSessionHeader), session->id());
  carry(exchange, *log, carriage);
}

void HttpEndpoint::post_old(http::Exchange& exchange, Json message) {
  if (const Json* method = message.find("method"); method != nullptr && *method == Json("initialize")) {
    auto read = rpc::read_message(std::move(message));
    if (!read) return refuse(exchange, 400, std::move(read.error().failure), std::move(read.error().id));
    if (auto* request = std::get_if<rpc::Request>(&*read)) return initialize(exchange, std::move(*request));
    return refuse(exchange, 400, {rpc::kInvalidRequest, "initialize needs an id."});
  }
  const Json* asked_by = message.find("method") != nullptr ? message.find("id") : nullptr;
  const bool is_named = asked_by != nullptr && (asked_by->is_string() || asked_by->is_number());
  const auto session = session_of(exchange, is_named ? *asked_by : Json());
  if (!session) return;
  const auto log = session->open_stream();
  const auto responder = std::make_shared<LogResponder>(log);
  Intake intake = take_in(server_, session->client(), std::move(message), responder,
                          [log](const JsonArray& all) { log->finish(to_text(all)); });
  if (intake.requests.empty()) {
    session->drop_stream(log->stream());
    const auto refusal = log->only_event();
    return exchange.respond(refusal ? json_response(400, *refusal) : http::Response{.status = 202});
  }
  for (Intake::Asked& asked : intake.requests) {
    const bool slow = takes_time(asked.request.method);
    const Json id = asked.request.id;
    const auto answerer = asked.responder;
    if (slow) session->client()->announce(id);  // so that it can be cancelled before its thread runs
    auto work = [this, session, asked = std::move(asked)]() mutable {
      server_.serve(session->client(), Era::kOld, std::move(asked.request), asked.responder);
    };
    if (!slow) {
      work();
    } else if (auto job = workers_.start(std::move(work)); !job) {
      session->client()->renounce(id);
      answerer->answer({.id = id, .failure = rpc::Failure{rpc::kInternalError, job.error().message}});
    }
  }
  const bool resumable = session->client()->info()->revision >= "2025-11-25";
  if (carry(exchange, *log, {.numbered = true, .primed = resumable, .responder = nullptr}))
    session->drop_stream(log->stream());
}

void HttpEndpoint::get(http::Exchange& exchange) {
  const std::string* revision = exchange.request().headers.find(rpc::kRevisionHeader);
  if (revision != nullptr && trim(*revision) == rpc::kModernRevision)
    return exchange.respond(http::method_not_allowed("POST"));
  const auto session = session_of(exchange);
  if (!session) return;
  std::uint64_t stream = 0;
  std::uint64_t after = session->stream(0)->carried();
  const std::string* last = exchange.request().headers.find(rpc::kLastEventHeader);
  if (last != nullptr) {
    const auto id = read_event_id(trim(*last));
    if (!id)
      return refuse(exchange, 400, {rpc::kInvalidRequest, "Last-Event-ID is none that this server gave."});
    stream = id->stream;
    after = id->number;
  }
  const auto log = session->stream(stream);
  if (!log)
    return refuse(exchange, 404, {rpc::kInvalidRequest, "That stream is over, and nothing of it is left."});
  const bool primed = session->client()->info()->revision >= "2025-11-25";
  const bool complete =
      carry(exchange, *log, {.after = after, .numbered = true, .primed = primed, .stream_only = true});
  if (complete && stream != 0) session->drop_stream(stream);
}

void HttpEndpoint::end_session(http::Exchange& exchange) {
  const auto session = session_of(exchange);
  if (!session) return;
  sessions_.end(session->id());
  exchange.respond({.status = 204});
}

}  // namespace helve::mcp
