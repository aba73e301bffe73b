#include "gateway/server_link.h"

#include <algorithm>

#include "base/strings.h"
#include "base/threads.h"
#include "base/utf8.h"

namespace helve::gateway {
namespace {

using std::chrono::milliseconds;

constexpr auto kSteady = std::chrono::minutes(1);         // uptime after which earlier failures do not count
constexpr auto kShortestPause = milliseconds(500);        // between two attempts, even if a call waits
constexpr auto kShortestLifetime = milliseconds(10'000);  // of a tool list, even if the server says less
constexpr auto kLeastBetweenLists = milliseconds(1'000);
constexpr auto kPingTime = milliseconds(2'000);  // for a plugin that did not answer a call in time
constexpr auto kSettling = milliseconds(100);    // changes often come in groups

Error unavailable(const ServerConfig& server, const Error& why, const std::string& stderr_tail) {
  Error error{ErrorCode::kUnavailable, concat(server.subject(), " is not available: ", why.message),
              why.hint};
  constexpr std::size_t kShown = 600;
  const std::string_view tail = trim(utf8_suffix(stderr_tail, kShown));
  if (!tail.empty()) {
    error.kind = ErrorKind::kMcpServer;
    error.details = JsonObject{{"stderr", to_valid_utf8(tail)}};
  }
  if (why.code == ErrorCode::kCancelled || why.code == ErrorCode::kPermissionDenied) error.code = why.code;
  return error;
}

}  // namespace

ServerLink::ServerLink(Parts parts, Logger& logger) : parts_(std::move(parts)), logger_(logger) {
  status_.name = parts_.config.name;
}

ServerLink::~ServerLink() { close(); }

void ServerLink::start() {
  const std::lock_guard lock(mutex_);
  if (closed_ || thread_.joinable()) return;
  if (!try_start_thread(thread_, [this](const std::stop_token& stop) { run(stop); }))
    logger_.error("An MCP server cannot be started: the machine gives no more threads",
                  {{"server", parts_.config.name}});
}

void ServerLink::close() {
  std::jthread thread;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    thread = std::move(thread_);
    changed_.notify_all();
  }
  thread.request_stop();
  if (thread.joinable()) thread.join();
}

ServerStatus ServerLink::status() const {
  const std::lock_guard lock(mutex_);
  ServerStatus status = status_;
  if (connection_) status.stderr_tail = connection_->stderr_tail();
  return status;
}

bool ServerLink::wait_until_settled(const Terms& terms) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, terms.stop, std::min(terms.deadline, Clock::now() + std::chrono::days(1)),
                             [&] {
                               return closed_ || status_.state == ServerStatus::State::kReady ||
                                      status_.state == ServerStatus::State::kFailed;
                             });
}

void ServerLink::wait_while_starting(const Terms& terms) const {
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) return;
  }
  static_cast<void>(wait_until_settled(terms));
}

Expected<std::shared_ptr<Connection>> ServerLink::ready_connection(const Terms& terms,
                                                                   const std::shared_ptr<Connection>& lost) {
  start();
  std::unique_lock lock(mutex_);
  const std::uint64_t before = attempts_made_;
  ++waiting_;
  changed_.notify_all();
  const auto until = std::min(terms.deadline, Clock::now() + std::chrono::days(1));
  const auto is_ready = [&] { return connection_ && connection_ != lost; };
  changed_.wait_until(lock, terms.stop, until,
                      [&] { return closed_ || is_ready() || (attempts_made_ > before && failure_); });
  --waiting_;
  if (is_ready()) return connection_;
  if (closed_) return fail(ErrorCode::kUnavailable, "The MCP servers have been closed.");
  if (attempts_made_ > before && failure_)
    return fail(unavailable(parts_.config, *failure_, status_.stderr_tail));
  if (terms.stop.stop_requested())
    return fail(ErrorCode::kCancelled, "The call was cancelled before the server was ready.");
  return fail(ErrorCode::kTimeout, concat(parts_.config.subject(), " did not become ready in time."),
              "Try again in a moment, or continue without it.");
}

bool ServerLink::may_offer(std::string_view capability) const {
  const std::lock_guard lock(mutex_);
  if (status_.facts) return status_.facts->offers(capability);
  return !parts_.capabilities || parts_.capabilities->find(capability) != nullptr;
}

void ServerLink::note_links(const Json& result) {
  constexpr std::size_t kMostLinks = 10'000;
  const Json* content = result.find("content");
  if (content == nullptr || !content->is_array()) return;
  const std::lock_guard lock(mutex_);
  for (const Json& part : content->as_array())
    if (text_member(part, "type", 100) == "resource_link" && linked_.size() < kMostLinks)
      linked_.insert(text_member(part, "uri"));
}

bool ServerLink::has_linked(const std::string& uri) const {
  const std::lock_guard lock(mutex_);
  return linked_.contains(uri);
}

Expected<Json> ServerLink::call(const RemoteTool& tool, const Json& arguments, const Terms& terms) {
  return use_connection([&](Connection& connection) { return connection.call_tool(tool, arguments, terms); },
                        terms);
}

Expected<Json> ServerLink::request(const std::string& method, const Json& params, const Terms& terms) {
  return use_connection([&](Connection& connection) { return connection.request(method, params, terms); },
                        terms);
}

Expected<Json> ServerLink::use_connection(const Use& use, const Terms& terms) {
  auto connection = ready_connection(terms, {});
  if (!connection) return fail(connection.error());
  auto result = use(**connection);
  if (!result && result.error().code == ErrorCode::kUnavailable && (*connection)->has_ended()) {
    // It ended before it received the call, so retrying is safe.
    connection = ready_connection(terms, *connection);
    if (!connection) return fail(connection.error());
    result = use(**connection);
  }
  if (result) return result;
  Error error = result.error();
  if (error.code == ErrorCode::kUnavailable)
    return fail(unavailable(parts_.config, error, (*connection)->stderr_tail()));
  if (error.code == ErrorCode::kOutcomeUnknown)
    error = {ErrorCode::kOutcomeUnknown,
             concat(parts_.config.subject(), " was lost during the call: ", error.message),
             "The call may have had an effect. Check before you repeat it."};
  if (error.code == ErrorCode::kTimeout && parts_.config.plugin) restart_if_hung(*connection);
  if (error.code == ErrorCode::kTimeout)
    error.message = concat(parts_.config.subject(), " did not answer in time.");
  return fail(std::move(error));
}

// Restarts a plugin that hangs, so that later calls do not wait for it. A plugin that is only busy answers
// the ping, if only with an error.
void ServerLink::restart_if_hung(const std::shared_ptr<Connection>& connection) {
  const auto pong = connection->request("ping", {}, {.deadline = Clock::now() + kPingTime});
  if (pong || pong.error().code != ErrorCode::kTimeout) return;
  const std::lock_guard lock(mutex_);
  if (connection_ != connection) return;
  connection_.reset();
  ended_ = true;
  failure_ = Error{ErrorCode::kUnavailable, "It stopped responding and is being restarted."};
  changed_.notify_all();
}

void ServerLink::run(const std::stop_token& stop) {
  Clock::time_point next = Clock::now();
  while (wait_until_wanted(stop, next)) {
    const Clock::time_point begun = Clock::now();
    attempt(stop);
    stay_connected(stop);
    const std::lock_guard lock(mutex_);
    if (Clock::now() - begun > kSteady) failures_in_a_row_ = 0;
    ++failures_in_a_row_;
    auto pause = parts_.first_pause;
    for (int i = 1; i < failures_in_a_row_ && pause < parts_.longest_pause; ++i) pause *= 2;
    // A server that keeps failing is not tried again until the next call.
    next = failures_in_a_row_ >= parts_.attempts ? Clock::time_point::max()
                                                 : Clock::now() + std::min(pause, parts_.longest_pause);
  }
}

// Waits for the next attempt or a waiting call. False if the link is closed.
bool ServerLink::wait_until_wanted(const std::stop_token& stop, Clock::time_point until) {
  std::unique_lock lock(mutex_);
  const auto is_wanted = [&] { return waiting_ > 0; };
  if (attempts_made_ > 0)
    changed_.wait_for(lock, stop, std::min(kShortestPause, parts_.first_pause), [] { return false; });
  if (until == Clock::time_point::max())
    changed_.wait(lock, stop, is_wanted);
  else
    changed_.wait_until(lock, stop, until, is_wanted);
  return !stop.stop_requested();
}

void ServerLink::attempt(const std::stop_token& stop) {
  ConnectionOptions options = parts_.options;
  {
    const std::lock_guard lock(mutex_);
    status_.state = ServerStatus::State::kStarting;
    tools_changed_ = ended_ = false;
    if (status_.facts) options.protocol = status_.facts->protocol();
  }
  options.on_tools_changed = [this] {
    const std::lock_guard lock(mutex_);
    tools_changed_ = true;
    changed_.notify_all();
  };
  options.on_end = [this](const Error& why) {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    failure_ = why;
    changed_.notify_all();
  };
  const Terms terms{.stop = stop, .deadline = Clock::now() + milliseconds(parts_.config.settings.start_ms)};
  auto opened = parts_.open(std::move(options), terms);
  if (!opened) {
    const Json* said = opened.error().details.find("stderr");
    return note_failure(opened.error(), said != nullptr && said->is_string() ? said->as_string() : "");
  }
  const std::shared_ptr<Connection> connection = *std::move(opened);
  auto list = read_list(*connection, stop);
  if (!list) return note_failure(list.error(), connection->stderr_tail());
  connection->follow_changes();
  {
    const std::lock_guard lock(mutex_);
    status_.facts = connection->facts();
  }
  publish(*std::move(list));
  const std::lock_guard lock(mutex_);
  connection_ = connection;
  failure_.reset();
  ++attempts_made_;
  status_.problem.clear();
  status_.state = ServerStatus::State::kReady;
  changed_.notify_all();
}

Expected<ToolList> ServerLink::read_list(Connection& connection, const std::stop_token& stop) {
  if (!connection.facts().offers("tools")) return ToolList();
  return connection.list_tools(
      {.stop = stop, .deadline = Clock::now() + milliseconds(parts_.config.settings.start_ms)});
}

void ServerLink::publish(ToolList list) {
  ServerStatus status;
  {
    const std::lock_guard lock(mutex_);
    constexpr std::size_t kMostOthers = 20;
    status_.other_tools.clear();
    std::erase_if(list.tools, [&](const RemoteTool& tool) {
      if (parts_.config.offers(tool.name)) return false;
      if (status_.other_tools.size() < kMostOthers) status_.other_tools.push_back(tool.name);
      return true;
    });
    status_.tools = std::move(list.tools);
    status_.refused_tools = std::move(list.refused);
    list_expires_ = Clock::time_point::max();
    // Ignore a lifetime of 0: such servers report changes, or do not care.
    if (list.lifetime && *list.lifetime > milliseconds(0))
      list_expires_ =
          Clock::now() + std::clamp<milliseconds>(*list.lifetime, kShortestLifetime, std::chrono::days(1));
    status = status_;
  }
  for (const std::string& problem : status.refused_tools)
    logger_.warning("MCP tool skipped", {{"server", status.name}, {"problem", problem}});
  if (parts_.on_tools) parts_.on_tools(status);
}

// Returns when the server is lost or the link is closed.
void ServerLink::stay_connected(const std::stop_token& stop) {
  std::shared_ptr<Connection> connection;
  std::unique_lock lock(mutex_);
  connection = connection_;
  while (connection && !ended_ && !stop.stop_requested()) {
    const auto has_changed = [&] { return ended_ || tools_changed_; };
    if (list_expires_ == Clock::time_point::max())
      changed_.wait(lock, stop, has_changed);
    else
      changed_.wait_until(lock, stop, list_expires_, has_changed);
    if (ended_ || stop.stop_requested()) break;
    changed_.wait_for(lock, stop, kSettling, [] { return false; });
    tools_changed_ = false;
    list_expires_ = Clock::now() + kShortestLifetime;  // if this fails, try again then
    lock.unlock();
    auto list = read_list(*connection, stop);
    if (list)
      publish(*std::move(list));
    else if (!stop.stop_requested())
      logger_.warning("MCP tools could not be refreshed",
                      {{"server", parts_.config.name}, {"problem", list.error().message}});
    lock.lock();
    // Limits the rate for servers that change all the time.
    changed_.wait_for(lock, stop, kLeastBetweenLists, [&] { return ended_; });
  }
  connection_.reset();
  const std::optional<Error> why = failure_;
  lock.unlock();
  if (!connection) return;
  const std::string stderr_tail = connection->stderr_tail();
  connection->close();  // running calls still hold it, and fail
  if (!stop.stop_requested() && why) note_failure(*why, stderr_tail, false);
}

void ServerLink::note_failure(const Error& error, std::string stderr_tail, bool of_attempt) {
  const std::lock_guard lock(mutex_);
  // Warn about the same problem only once.
  logger_.log(status_.problem == error.message ? LogLevel::kDebug : LogLevel::kWarning,
              "MCP server is not available", {{"server", parts_.config.name}, {"problem", error.message}});
  failure_ = error;
  if (of_attempt) ++attempts_made_;
  status_.state = ServerStatus::State::kFailed;
  status_.problem = error.message;
  status_.stderr_tail = std::move(stderr_tail);
  changed_.notify_all();
}

}  // namespace helve::gateway
