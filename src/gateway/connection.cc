#include "gateway/connection.h"

#include "base/either_stop.h"
#include "base/redact.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "core/tool_run.h"

namespace helve::gateway {
namespace {

constexpr int kMostRounds = 10;          // of questions within one request
constexpr int kMostServerRequests = 32;  // that we answer at the same time
constexpr std::size_t kMostPages = 200;
constexpr std::size_t kMostTools = 5000;

bool session_is_lost(const Error& error) { return error.kind == ErrorKind::kSessionEnded; }

std::optional<std::chrono::milliseconds> lifetime_of(const Json& result) {
  const Json* value = result.find("ttlMs");
  std::int64_t milliseconds = 0;
  if (value == nullptr || !value->is_number() || !value->fits_int64(milliseconds) || milliseconds < 0)
    return {};
  return std::chrono::milliseconds(milliseconds);
}

}  // namespace

// Forwards progress to the caller while the request runs.
class Connection::ProgressSubscription {
 public:
  ProgressSubscription(Connection& connection, std::int64_t token, const Caller* caller)
      : connection_(connection), token_(token) {
    const std::lock_guard lock(connection_.progress_mutex_);
    if (caller != nullptr && caller->on_progress) connection_.progress_.emplace(token_, caller);
  }
  ~ProgressSubscription() {
    const std::lock_guard lock(connection_.progress_mutex_);
    connection_.progress_.erase(token_);
  }
  ProgressSubscription(const ProgressSubscription&) = delete;
  ProgressSubscription& operator=(const ProgressSubscription&) = delete;

 private:
  Connection& connection_;
  const std::int64_t token_;
};

Connection::Connection(ConnectionOptions options, Logger& logger)
    : options_(std::move(options)), logger_(logger) {}

Connection::~Connection() { close(); }

Expected<std::unique_ptr<Connection>> Connection::open(ConnectionOptions options, Logger& logger,
                                                       const Terms& terms) {
  std::unique_ptr<Connection> connection(new Connection(std::move(options), logger));
  const std::optional<rpc::Protocol> protocol = connection->options_.protocol;
  auto agreed = connection->reconnect(protocol, terms);
  // Some session-based servers exit on any request before initialize.
  const bool died = !agreed && agreed.error().code == ErrorCode::kOutcomeUnknown;
  if (died && protocol != rpc::Protocol::kSessionBased)
    agreed = connection->reconnect(rpc::Protocol::kSessionBased, terms);
  // The protocol that was known from an earlier run may be outdated.
  else if (!agreed && protocol && agreed.error().code != ErrorCode::kCancelled &&
           agreed.error().code != ErrorCode::kPermissionDenied &&
           agreed.error().code != ErrorCode::kSecurity && Clock::now() < terms.deadline)
    agreed = connection->reconnect({}, terms);
  if (agreed) return connection;
  Error error = std::move(agreed).error();
  connection->close();  // so that all of its stderr has been read
  if (const std::string tail = connection->stderr_tail();
      !tail.empty() && error.kind == ErrorKind::kNone && error.details.is_null()) {
    error.kind = ErrorKind::kMcpServer;
    error.details = JsonObject{{"stderr", tail}};
  }
  return fail(std::move(error));
}

HandshakeOptions Connection::handshake_options(std::optional<rpc::Protocol> protocol) {
  return {.server = options_.server,
          .offers = options_.offers,
          .protocol = protocol,
          .probe_time = options_.probe_time,
          .next_id = [this] { return ++last_id_; }};
}

Expected<void> Connection::reconnect(std::optional<rpc::Protocol> protocol, const Terms& terms) {
  std::shared_ptr<Channel> before;
  {
    const std::lock_guard lock(mutex_);
    before = std::exchange(channel_, {});
    ended_.reset();
  }
  if (before) before->close();
  auto opened = options_.open_channel(*this);
  if (!opened) return fail(opened.error());
  std::shared_ptr<Channel> channel = *std::move(opened);
  {
    const std::lock_guard lock(mutex_);
    channel_ = channel;
    ended_.reset();  // the end of the previous channel may have been reported late
  }
  auto facts = handshake(*channel, handshake_options(protocol), terms);
  if (!facts) return fail(facts.error());
  const std::lock_guard lock(mutex_);
  if (ended_) return fail(*ended_);
  facts_ = *std::move(facts);
  ++sessions_;
  probing_ = false;
  return {};
}

ServerFacts Connection::facts() const {
  const std::lock_guard lock(mutex_);
  return facts_;
}

bool Connection::has_ended() const {
  const std::lock_guard lock(mutex_);
  return ended_.has_value();
}

std::string Connection::stderr_tail() const {
  const std::lock_guard lock(mutex_);
  return channel_ ? channel_->stderr_tail() : std::string();
}

void Connection::close() {
  stop_.request_stop();
  std::shared_ptr<Channel> channel;
  {
    const std::lock_guard lock(mutex_);
    channel = channel_;
    probing_ = true;
  }
  if (channel) channel->close();
}

Expected<Json> Connection::request(const std::string& method, Json params, const Terms& terms) {
  if (params.is_null()) params = JsonObject();
  for (int round = 0; round <= kMostRounds; ++round) {
    auto result = request_once(method, params, terms);
    if (!result && server_error_code(result.error()) == rpc::kUrlElicitationRequired) {
      if (auto visited = visit_pages(result.error(), terms); !visited) return fail(visited.error());
      continue;
    }
    if (!result || text_member(*result, "resultType", 100) != rpc::kInputRequired) return result;
    const Json* requests = result->find("inputRequests");
    auto responses = gather_input(requests != nullptr ? *requests : Json(), terms);
    if (!responses) return fail(responses.error());
    params.as_object().erase("requestState");
    params["inputResponses"] = *std::move(responses);
    if (const Json* state = result->find("requestState")) params["requestState"] = *state;
  }
  return fail(ErrorCode::kExecutionFailed,
              concat("The MCP server ", options_.server, " asked ", kMostRounds,
                     " times for input, which is the limit."),
              "Pass everything it needs in the arguments, or use another tool.");
}

// Tries again in a new session if the server has dropped the old one; then the request had no effect.
Expected<Json> Connection::request_once(const std::string& method, const Json& params, const Terms& terms) {
  std::uint64_t seen = 0;
  {
    const std::lock_guard lock(mutex_);
    seen = sessions_;
  }
  auto result = exchange(method, params, terms);
  if (result || !session_is_lost(result.error())) return result;
  if (auto renewed = renew_session(seen, terms); !renewed) return fail(renewed.error());
  return exchange(method, params, terms);
}

Expected<void> Connection::renew_session(std::uint64_t seen, const Terms& terms) {
  const std::lock_guard renewing(renewing_);
  std::shared_ptr<Channel> channel;
  {
    const std::lock_guard lock(mutex_);
    if (sessions_ != seen) return {};  // another thread has done it
    channel = channel_;
  }
  auto facts = initialize(*channel, handshake_options(rpc::Protocol::kSessionBased), terms);
  if (!facts) return fail(facts.error());
  {
    const std::lock_guard lock(mutex_);
    facts_ = *std::move(facts);
    ++sessions_;
  }
  if (options_.on_tools_changed) options_.on_tools_changed();
  return {};
}

Expected<Json> Connection::exchange(const std::string& method, const Json& params, const Terms& terms) {
  std::shared_ptr<Channel> channel;
  std::string revision;
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return fail(*ended_);
    channel = channel_;
    revision = facts_.revision;
  }
  const std::int64_t id = ++last_id_;
  Json whole = params;
  Terms own = terms;
  own.stateless = rpc::protocol_of(revision) == rpc::Protocol::kStateless;
  if (own.stateless) {
    Offers offers = options_.offers;
    offers.questions = offers.questions && terms.caller && terms.caller->asker != nullptr;
    offers.sampling = offers.sampling && terms.caller && terms.caller->sampler != nullptr;
    whole = with_stateless_meta(std::move(whole), revision, offers);
  }
  if (terms.caller && terms.caller->trace.is_object())
    for (const auto& [key, value] : terms.caller->trace.as_object()) whole["_meta"][key] = value;
  if (terms.caller && terms.caller->on_progress) whole["_meta"][rpc::kProgressToken] = id;
  // Some servers refuse empty parameters.
  if (whole.as_object().empty()) whole = Json();
  const ProgressSubscription progress(*this, id, terms.caller.get());
  auto reply = channel->exchange({.id = id, .method = method, .params = std::move(whole)}, own);
  if (!reply) return fail(reply.error());
  if (reply->failure) return fail(server_error(options_.server, *reply->failure));
  if (!reply->result.is_object())
    return fail(ErrorCode::kExecutionFailed,
                concat("The MCP server ", options_.server, " answered ", method, " with ",
                       reply->result.type_name(), " instead of an object."));
  return std::move(reply->result);
}

Expected<Json> Connection::gather_input(const Json& requests, const Terms& terms) {
  Json responses = JsonObject();
  if (!requests.is_object()) return responses;
  const EitherStop stop(terms.stop, stop_.get_token());
  for (const auto& [key, request] : requests.as_object()) {
    const Json* params = request.find("params");
    auto answer = answer_request(text_member(request, "method", 200), params != nullptr ? *params : Json(),
                                 {options_.server, options_.workspace}, terms.caller.get(), stop.token());
    if (terms.stop.stop_requested()) return fail(ErrorCode::kCancelled, "The request was cancelled.");
    if (!answer)
      return fail(ErrorCode::kUnavailable,
                  concat("The MCP server ", options_.server, " needs ", text_member(request, "method", 200),
                         " to continue, which failed: ", answer.error().message));
    responses[key] = *std::move(answer);
  }
  return responses;
}

Expected<void> Connection::visit_pages(const Error& refusal, const Terms& terms) {
  const Json* data = refusal.details.find("data");
  const Json* pages = data == nullptr ? nullptr : data->find("elicitations");
  if (pages == nullptr || !pages->is_array() || pages->as_array().empty()) return fail(refusal);
  const EitherStop stop(terms.stop, stop_.get_token());
  for (const Json& page : pages->as_array()) {
    const auto answer = answer_request("elicitation/create", page, {options_.server, options_.workspace},
                                       terms.caller.get(), stop.token());
    if (!answer || text_member(*answer, "action") != "accept") return fail(refusal);
  }
  return {};
}

Expected<ToolList> Connection::list_tools(const Terms& terms) {
  ToolList list;
  std::string cursor;
  for (std::size_t page = 0; page < kMostPages; ++page) {
    Json params = JsonObject();
    if (!cursor.empty()) params["cursor"] = cursor;
    auto result = request("tools/list", std::move(params), terms);
    if (!result) return fail(result.error());
    const Json* tools = result->find("tools");
    if (tools == nullptr || !tools->is_array())
      return fail(ErrorCode::kExecutionFailed,
                  concat("The MCP server ", options_.server, " answered tools/list without a list."));
    for (const Json& description : tools->as_array()) {
      auto tool = read_tool(description);
      if (!tool)
        list.refused.push_back(tool.error().message);
      else if (list.tools.size() < kMostTools)
        list.tools.push_back(*std::move(tool));
    }
    if (const auto lifetime = lifetime_of(*result))
      list.lifetime = std::min(list.lifetime.value_or(*lifetime), *lifetime);
    const std::string next = text_member(*result, "nextCursor");
    if (next.empty() || next == cursor) return list;
    cursor = next;
  }
  return list;
}

Expected<Json> Connection::call_tool(const RemoteTool& tool, const Json& arguments, Terms terms) {
  terms.headers = argument_headers(tool, arguments);
  return request("tools/call", JsonObject{{"name", tool.name}, {"arguments", arguments}}, terms);
}

void Connection::follow_changes() {
  const ServerFacts facts = this->facts();
  if (facts.protocol() != rpc::Protocol::kStateless || !facts.offers("tools", "listChanged")) return;
  static_cast<void>(workers_.start([this] { listen_for_changes(); }));
}

// A stateless server reports changes only as long as a listening request is open.
void Connection::listen_for_changes() {
  Json params = JsonObject{{"notifications", JsonObject{{"toolsListChanged", true}}}};
  auto pause = std::chrono::milliseconds(1'000);
  while (!stop_.stop_requested()) {
    const Clock::time_point begun = Clock::now();
    const auto result = exchange("subscriptions/listen", params, {.stop = stop_.get_token()});
    // Give up if the server refuses; reopen a stream that was cut.
    if (stop_.stop_requested() || (!result && server_error_code(result.error()) != 0)) return;
    if (Clock::now() - begun > std::chrono::minutes(1)) pause = std::chrono::milliseconds(1'000);
    core::sleep_unless_stopped(pause, stop_.get_token());
    pause = std::min(pause * 2, std::chrono::milliseconds(60'000));
    {
      const std::lock_guard guard(mutex_);
      if (ended_) return;
    }
    if (!stop_.stop_requested() && options_.on_tools_changed)
      options_.on_tools_changed();  // changes may have been missed
  }
}

void Connection::on_request(rpc::Request request, const std::shared_ptr<const Caller>& caller) {
  // A flood of requests must not take all our threads; further ones stay unanswered.
  if (requests_running_ >= kMostServerRequests) return;
  ++requests_running_;
  const auto started = workers_.start([this, request = std::move(request), caller] {
    const EitherStop stop(stop_.get_token(), caller ? caller->stop : std::stop_token());
    auto answer = answer_request(request.method, request.params, {options_.server, options_.workspace},
                                 caller.get(), stop.token());
    rpc::Response response{.id = request.id};
    if (answer)
      response.result = *std::move(answer);
    else
      response.failure = std::move(answer).error();
    std::shared_ptr<Channel> channel;
    {
      const std::lock_guard lock(mutex_);
      channel = channel_;
    }
    if (channel) static_cast<void>(channel->respond(std::move(response)));
    --requests_running_;
  });
  if (!started) --requests_running_;
}

void Connection::on_notification(rpc::Notification notification) {
  if (notification.method == "notifications/progress") return handle_progress(notification.params);
  if (notification.method == "notifications/message") return handle_log_entry(notification.params);
  if (notification.method == "notifications/tools/list_changed" && options_.on_tools_changed)
    options_.on_tools_changed();
}

void Connection::on_end(const Error& why) {
  bool report = false;
  {
    const std::lock_guard lock(mutex_);
    ended_ = why;
    report = !probing_;
  }
  if (report && options_.on_end) options_.on_end(why);
}

void Connection::handle_progress(const Json& params) {
  const Json* token = params.find(rpc::kProgressToken);
  const Json* done = params.find("progress");
  std::int64_t id = 0;
  if (token == nullptr || !token->is_number() || !token->fits_int64(id) || done == nullptr ||
      !done->is_number())
    return;
  Progress progress{.done = done->as_double(), .message = text_member(params, "message", 2000)};
  if (const Json* total = params.find("total"); total != nullptr && total->is_number())
    progress.total = total->as_double();
  // Under the lock, so that the caller outlives its callback.
  const std::lock_guard lock(progress_mutex_);
  if (const auto found = progress_.find(id); found != progress_.end()) found->second->on_progress(progress);
}

void Connection::handle_log_entry(const Json& params) {
  const std::string level = text_member(params, "level", 20);
  const bool bad = level == "error" || level == "critical" || level == "alert" || level == "emergency";
  const LogLevel own = bad ? LogLevel::kWarning : LogLevel::kDebug;
  if (!logger_.writes(own)) return;
  const Json* data = params.find("data");
  const std::string text = data == nullptr ? "" : data->is_string() ? data->as_string() : to_text(*data);
  logger_.log(own, "MCP server log message",
              {{"server", options_.server}, {"level", level}, {"data", shortened(redact_text(text), 2000)}});
}

}  // namespace helve::gateway
