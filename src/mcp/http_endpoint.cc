#include "mcp/http_endpoint.h"

#include <malloc.h>

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/json_parse.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "http/response_text.h"
#include "mcp/message_intake.h"
#include "rpc/mcp_protocol.h"

namespace helve::mcp {
namespace {

using rpc::Protocol;

rpc::Failure mismatch(std::string message) { return {rpc::kHeaderMismatch, std::move(message)}; }

// Decodes the =?base64?…?= form of values that are not plain ASCII. Nothing if the base64 is invalid.
std::optional<std::string> decoded(std::string_view value) {
  if (!value.starts_with(rpc::kEncodedHeaderStart) || !value.ends_with(rpc::kEncodedHeaderEnd) ||
      value.size() < rpc::kEncodedHeaderStart.size() + rpc::kEncodedHeaderEnd.size())
    return std::string(value);
  value.remove_prefix(rpc::kEncodedHeaderStart.size());
  value.remove_suffix(rpc::kEncodedHeaderEnd.size());
  return from_base64(value);
}

bool is_plain(std::string_view value) {
  for (const char c : value)
    if (c < 0x20 || c > 0x7E) return false;
  return true;
}

std::optional<rpc::Failure> compare(const http::Headers& headers, const std::string& name,
                                    const std::string& expected) {
  const std::string* value = headers.find(name);
  if (value == nullptr) return mismatch(concat("The header ", name, " is missing."));
  if (headers.count(name) != 1) return mismatch(concat("The header ", name, " appears more than once."));
  const std::string_view trimmed = trim(*value);
  if (!is_plain(trimmed))
    return mismatch(concat("The header ", name, " must be ASCII or encoded as =?base64?…?=."));
  const auto said = decoded(trimmed);
  if (!said) return mismatch(concat("The header ", name, " is not valid base64."));
  if (*said != expected) return mismatch(concat("The header ", name, " does not match the message."));
  return {};
}

// The member of the parameters that Mcp-Name repeats.
std::string_view named_member(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  if (method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel") return "taskId";
  return {};
}

std::string value_text(const Json& value) { return value.is_string() ? value.as_string() : to_text(value); }

std::optional<rpc::Failure> check_params(const http::Headers& headers, const rpc::Request& request,
                                         const Json& schema) {
  const Json* properties = schema.find("properties");
  if (properties == nullptr || !properties->is_object()) return {};
  const Json* arguments = request.params.find("arguments");
  for (const auto& [name, property] : properties->as_object()) {
    const Json* header = property.find(rpc::kHeaderKeyword);
    if (header == nullptr || !header->is_string()) continue;
    const std::string field = concat(rpc::kParamHeaderPrefix, header->as_string());
    const Json* value = arguments != nullptr ? arguments->find(name) : nullptr;
    if (value == nullptr || value->is_null()) {
      if (headers.find(field) != nullptr)
        return mismatch(concat("The header ", field, " has no matching argument."));
      continue;
    }
    if (auto wrong = compare(headers, field, value_text(*value))) return wrong;
  }
  return {};
}

bool accepts(std::string_view accept, std::string_view type) {
  for (std::string_view range : split(accept, ',')) {
    range = trim(range.substr(0, range.find(';')));
    const std::string lower = to_lower(range);
    if (lower == "*/*" || lower == type || lower == concat(type.substr(0, type.find('/')), "/*")) return true;
  }
  return false;
}

// Refuses a client that can read neither form of answer, or that does not send JSON.
std::optional<http::Response> check_content_headers(const http::Request& request) {
  const std::string* accept = request.headers.find("Accept");
  const bool stream_only = request.method == "GET";
  const bool acceptable = accept == nullptr || accepts(*accept, "text/event-stream") ||
                          (!stream_only && accepts(*accept, "application/json"));
  if (!acceptable)
    return http::error_response(406, "Accept must allow application/json or text/event-stream.");
  if (request.method != "POST") return {};
  const std::string* type = request.headers.find("Content-Type");
  if (type == nullptr || to_lower(trim(type->substr(0, type->find(';')))) != "application/json")
    return http::error_response(415, "Send messages as application/json.");
  return {};
}

// The tool that the request calls, if it calls one that is there.
std::optional<OfferedTool> tool_of(const rpc::Request& request, Tools* tools) {
  const Json* name = request.method == "tools/call" ? request.params.find("name") : nullptr;
  if (tools == nullptr || name == nullptr || !name->is_string()) return {};
  return tools->find(name->as_string());
}

// The stateless protocol repeats parts of the message in headers, for proxies that do not read bodies. Both
// must agree.
std::optional<rpc::Failure> check_mirrored_headers(const http::Headers& headers, const rpc::Request& request,
                                                   const std::optional<OfferedTool>& tool) {
  const Json* meta = request.params.find("_meta");
  const Json* revision = meta != nullptr ? meta->find(rpc::kMetaRevision) : nullptr;
  if (revision != nullptr && revision->is_string())
    if (auto wrong = compare(headers, std::string(rpc::kRevisionHeader), revision->as_string())) return wrong;
  if (auto wrong = compare(headers, std::string(rpc::kMethodHeader), request.method)) return wrong;
  const std::string_view member = named_member(request.method);
  const Json* name = member.empty() ? nullptr : request.params.find(member);
  if (name == nullptr || !name->is_string()) return {};
  if (auto wrong = compare(headers, std::string(rpc::kNameHeader), name->as_string())) return wrong;
  if (!tool) return {};
  return check_params(headers, request, tool->header_schema);
}

void refuse(http::Exchange& exchange, int status, rpc::Failure failure, Json id = {}) {
  exchange.respond(json_response(
      status, to_text(to_json(rpc::Response{.id = std::move(id), .failure = std::move(failure)}))));
}

// Methods that may be slow or ask the client. They run on a worker thread, so that the HTTP thread can send
// their progress and notice that the client disconnected.
bool takes_time(std::string_view method) {
  return method == "tools/call" || method == "prompts/get" || method == "resources/read" ||
         method == "resources/list" || method == "subscriptions/listen" || method == "tasks/result" ||
         method == "completion/complete";
}

bool uses_stateless_protocol(const http::Request& request, const Json& message) {
  const std::string* revision = request.headers.find(rpc::kRevisionHeader);
  if (revision != nullptr && trim(*revision) == rpc::kStatelessRevision) return true;
  const Json* params = message.find("params");
  const Json* meta = params != nullptr ? params->find("_meta") : nullptr;
  const Json* method = message.find("method");
  return (meta != nullptr && meta->find(rpc::kMetaRevision) != nullptr) ||
         (method != nullptr && *method == Json("server/discover"));
}

// Returned with each answer of the stateless protocol. A client that repeats it continues its session on any
// connection.
constexpr std::string_view kHandleHeader = "Helve-Session";

// Tells credentials apart without keeping them.
std::string credential_of(const http::Request& request) {
  const std::string* given = request.headers.find("Authorization");
  return given != nullptr ? sha256_hex(*given) : std::string();
}

// A proxy may send the requests of several clients over one connection.
bool came_through_proxy(const http::Request& request) {
  constexpr auto kAdded =
      std::to_array<std::string_view>({"Forwarded", "Via", "X-Forwarded-For", "X-Real-IP"});
  return std::ranges::any_of(kAdded,
                             [&](std::string_view name) { return request.headers.find(name) != nullptr; });
}

StatelessSessions::Origin origin_of(const http::Request& request, bool behind_proxy) {
  const std::string* handle = request.headers.find(kHandleHeader);
  return {.credential = credential_of(request),
          .connection = behind_proxy || came_through_proxy(request) ? 0 : request.connection,
          .handle = handle != nullptr ? std::string(trim(*handle)) : std::string()};
}

}  // namespace

void HttpEndpoint::sweep(const HttpSessions::Limits& limits) {
  stateless_sessions_.forget_idle(limits.idle);
  // Many threads that allocate in turn fragment the heap, and glibc never returns the fragments: after hours
  // the process holds several times what it uses. malloc_trim takes milliseconds.
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
  if (!message) {
    rpc::Response response = not_json(message.error(), exchange.request().body);
    return refuse(exchange, 400, *std::move(response.failure), std::move(response.id));
  }
  exchange.request().body = {};
  if (!uses_stateless_protocol(exchange.request(), *message))
    return post_in_session(exchange, *std::move(message));
  auto read = rpc::read_message(*std::move(message));
  if (!read) return refuse(exchange, 400, std::move(read.error().failure), std::move(read.error().id));
  if (auto* request = std::get_if<rpc::Request>(&*read)) return post_stateless(exchange, std::move(*request));
  exchange.respond(
      {.status = 202});  // notifications have no effect here; a client cancels by closing the stream
}

void HttpEndpoint::post_stateless(http::Exchange& exchange, rpc::Request request) {
  if (!Server::has_method(request.method, Protocol::kStateless))
    return refuse(exchange, 404, *Server::check(request, Protocol::kStateless), request.id);
  auto tool = tool_of(request, server_.offers().tools);
  if (auto wrong = check_mirrored_headers(exchange.request().headers, request, tool))
    return refuse(exchange, 400, *std::move(wrong), request.id);
  if (auto wrong = Server::check(request, Protocol::kStateless))
    return refuse(exchange, 400, *std::move(wrong), request.id);

  const auto session = stateless_sessions_.find(origin_of(exchange.request(), behind_proxy_));
  if (!session) {
    const bool is_unknown = session.error().code == ErrorCode::kNotFound;
    return refuse(exchange, is_unknown ? 404 : 503,
                  {is_unknown ? rpc::kInvalidRequest : rpc::kInternalError,
                   concat(session.error().message, " ", session.error().hint)},
                  request.id);
  }
  const auto client = std::make_shared<Client>(session->slot, credential_of(exchange.request()));
  const auto log = std::make_shared<EventLog>(0);
  const auto responder = std::make_shared<LogResponder>(log);
  const Json id = request.id;
  if (!takes_time(request.method)) {
    server_.serve(client, Protocol::kStateless, std::move(request), responder);
  } else {
    auto job = workers_.start(
        [this, client, request = std::move(request), responder, tool = std::move(tool)]() mutable {
          server_.serve(client, Protocol::kStateless, std::move(request), responder, std::move(tool));
        });
    if (!job) return refuse(exchange, 503, {rpc::kInternalError, job.error().message}, id);
  }
  StreamOptions options{.responder = responder.get()};
  options.headers.add(std::string(kHandleHeader), session->handle);
  if (!send_events(exchange, *log, options)) client->cancel_all();
}

std::shared_ptr<HttpSession> HttpEndpoint::session_of(http::Exchange& exchange, const Json& request_id) {
  const std::string* revision = exchange.request().headers.find(rpc::kRevisionHeader);
  if (revision != nullptr && !rpc::is_known_revision(trim(*revision))) {
    refuse(exchange, 400,
           {rpc::kInvalidRequest, concat("Protocol version ", *revision, " is not supported.")}, request_id);
    return nullptr;
  }
  const std::string* id = exchange.request().headers.find(rpc::kSessionHeader);
  if (id == nullptr) {
    refuse(exchange, 400,
           {rpc::kInvalidRequest, "The header Mcp-Session-Id is missing. Send initialize first."},
           request_id);
    return nullptr;
  }
  auto session = sessions_.find(*id);
  if (!session)
    refuse(exchange, 404,
           {rpc::kRequestTimedOut, "The session does not exist or has ended. Send initialize first."},
           request_id);
  return session;
}

void HttpEndpoint::initialize(http::Exchange& exchange, rpc::Request request) {
  const auto session = sessions_.create();
  if (!session)
    return refuse(exchange, 503, {rpc::kInternalError, "Too many sessions are open."}, request.id);
  const auto log = std::make_shared<EventLog>(0);
  const auto responder = std::make_shared<LogResponder>(log);
  server_.serve(session->client(), Protocol::kSessionBased, std::move(request), responder);
  StreamOptions options{.responder = responder.get()};
  if (responder->has_failed())
    sessions_.end(session->id());
  else
    options.headers.add(std::string(rpc::kSessionHeader), session->id());
  send_events(exchange, *log, options);
}

void HttpEndpoint::post_in_session(http::Exchange& exchange, Json message) {
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
    if (slow) session->client()->add_queued(id);  // so that it can be cancelled before it starts
    auto work = [this, session, asked = std::move(asked)]() mutable {
      server_.serve(session->client(), Protocol::kSessionBased, std::move(asked.request), asked.responder);
    };
    if (!slow) {
      work();
    } else if (auto job = workers_.start(std::move(work)); !job) {
      session->client()->remove_queued(id);
      answerer->answer({.id = id, .failure = rpc::Failure{rpc::kInternalError, job.error().message}});
    }
  }
  const bool resumable = session->client()->info()->revision >= "2025-11-25";
  if (send_events(exchange, *log, {.numbered = true, .primed = resumable, .responder = nullptr}))
    session->drop_stream(log->stream());
}

void HttpEndpoint::get(http::Exchange& exchange) {
  const std::string* revision = exchange.request().headers.find(rpc::kRevisionHeader);
  if (revision != nullptr && trim(*revision) == rpc::kStatelessRevision)
    return exchange.respond(http::method_not_allowed("POST"));
  const auto session = session_of(exchange);
  if (!session) return;
  std::uint64_t stream = 0;
  std::uint64_t after = session->stream(0)->delivered();
  const std::string* last = exchange.request().headers.find(rpc::kLastEventHeader);
  if (last != nullptr) {
    const auto id = read_event_id(trim(*last));
    if (!id) return refuse(exchange, 400, {rpc::kInvalidRequest, "Unknown Last-Event-ID."});
    stream = id->stream;
    after = id->number;
  }
  const auto log = session->stream(stream);
  if (!log)
    return refuse(exchange, 404,
                  {rpc::kInvalidRequest, "The stream has ended and its events are no longer kept."});
  const bool primed = session->client()->info()->revision >= "2025-11-25";
  const bool complete =
      send_events(exchange, *log, {.after = after, .numbered = true, .primed = primed, .stream_only = true});
  if (complete && stream != 0) session->drop_stream(stream);
}

void HttpEndpoint::end_session(http::Exchange& exchange) {
  const auto session = session_of(exchange);
  if (!session) return;
  sessions_.end(session->id());
  exchange.respond({.status = 204});
}

}  // namespace helve::mcp
