#include "mcp/client.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace helve::mcp {
namespace {

constexpr auto kSeverities = std::to_array<std::string_view>(
    {"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"});

// Most ids are small numbers, whose text needs no allocation.
std::string key_of(const Json& id) {
  std::int64_t number = 0;
  return id.is_integer() && id.fits_int64(number) ? std::to_string(number) : to_text(id);
}

}  // namespace

std::string_view to_string(LogSeverity severity) {
  return kSeverities.at(static_cast<std::size_t>(severity));
}

std::optional<LogSeverity> log_severity(std::string_view name) {
  const auto found = std::ranges::find(kSeverities, name);
  if (found == kSeverities.end()) return {};
  return static_cast<LogSeverity>(found - kSeverities.begin());
}

std::shared_ptr<const ClientInfo> Client::info() const {
  const std::lock_guard lock(mutex_);
  return info_;
}

void Client::set_info(ClientInfo info) {
  auto shared = std::make_shared<const ClientInfo>(std::move(info));
  const std::lock_guard lock(mutex_);
  info_ = std::move(shared);
}

void Client::add_queued(const Json& id) {
  const std::lock_guard lock(mutex_);
  running_.try_emplace(key_of(id));
}

void Client::remove_queued(const Json& id) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(key_of(id));
  if (found != running_.end() && !found->second.started) running_.erase(found);
}

std::optional<std::stop_source> Client::begin(const Json& id) {
  const std::lock_guard lock(mutex_);
  Running& entry = running_[key_of(id)];
  if (entry.started) return {};
  entry.started = true;
  return entry.stop;
}

bool Client::begin(const Json& id, std::stop_source stop) {
  {
    const std::lock_guard lock(mutex_);
    Running& entry = running_[key_of(id)];
    if (entry.started) return false;
    entry.started = true;
    std::swap(entry.stop, stop);
    if (!stop.stop_requested()) return true;
    stop = entry.stop;
  }
  stop.request_stop();  // it was cancelled while it was queued
  return true;
}

void Client::end(const Json& id) {
  const std::lock_guard lock(mutex_);
  running_.erase(key_of(id));
}

void Client::cancel(const Json& id) {
  std::stop_source source(std::nostopstate);
  {
    const std::lock_guard lock(mutex_);
    const auto found = running_.find(key_of(id));
    if (found == running_.end()) return;
    source = found->second.stop;
  }
  source.request_stop();
}

void Client::cancel_all() {
  std::vector<std::stop_source> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, entry] : running_) all.push_back(entry.stop);
  }
  for (std::stop_source& source : all) source.request_stop();
}

Expected<Json> Client::request(Responder& via, const std::string& method, Json params,
                               const std::stop_token& stop, Deadline deadline) {
  std::int64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = next_id_++;
    asked_[id];
  }
  via.send(to_json(rpc::Request{.id = id, .method = method, .params = std::move(params)}));
  std::unique_lock lock(mutex_);
  const auto is_over = [&] { return asked_[id].has_value() || closed_.stop_requested(); };
  if (deadline)
    answered_.wait_until(lock, stop, *deadline, is_over);
  else
    answered_.wait(lock, stop, is_over);
  std::optional<rpc::Response> response = std::move(asked_[id]);
  asked_.erase(id);
  lock.unlock();
  if (!response) {
    via.send(to_json(rpc::Notification{"notifications/cancelled", JsonObject{{"requestId", id}}}));
    if (stop.stop_requested()) return fail(ErrorCode::kCancelled, "The request was cancelled.");
    if (closed_.stop_requested())
      return fail(ErrorCode::kUnavailable,
                  concat("The client disconnected before it answered ", method, "."));
    return fail(ErrorCode::kTimeout, concat("The client did not answer ", method, " in time."));
  }
  if (response->failure)
    return fail(ErrorCode::kUnavailable,
                concat("The client refused ", method, ": ", response->failure->message));
  return std::move(response->result);
}

void Client::take_response(rpc::Response response) {
  std::int64_t id = 0;
  if (!response.id.is_number() || !response.id.fits_int64(id)) return;
  const std::lock_guard lock(mutex_);
  const auto waiting = asked_.find(id);
  if (waiting == asked_.end() || waiting->second) return;
  waiting->second = std::move(response);
  answered_.notify_all();
}

void Client::close() {
  closed_.request_stop();
  const std::lock_guard lock(mutex_);
  answered_.notify_all();
}

void Client::set_outlet(std::function<void(const Json&)> outlet) {
  const std::lock_guard lock(mutex_);
  outlet_ = std::move(outlet);
}

void Client::send(const Json& message) const {
  std::function<void(const Json&)> outlet;
  {
    const std::lock_guard lock(mutex_);
    outlet = outlet_;
  }
  if (outlet) outlet(message);
}

void Client::add_subscription(const std::string& uri, Subscription subscription) {
  const std::lock_guard lock(mutex_);
  std::swap(subscriptions_[uri], subscription);
}

void Client::remove_subscription(const std::string& uri) {
  Subscription
      dropped;  // destroyed after the lock is released: it may wait for a callback that needs the lock
  const std::lock_guard lock(mutex_);
  const auto found = subscriptions_.find(uri);
  if (found == subscriptions_.end()) return;
  dropped = std::move(found->second);
  subscriptions_.erase(found);
}

std::size_t Client::subscription_count() const {
  const std::lock_guard lock(mutex_);
  return subscriptions_.size();
}

bool Client::load_tools(const std::vector<std::string>& names) {
  const std::lock_guard lock(mutex_);
  const std::size_t before = loaded_tools_.size();
  loaded_tools_.insert(names.begin(), names.end());
  return loaded_tools_.size() > before;
}

bool Client::has_loaded(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return loaded_tools_.contains(name);
}

std::shared_ptr<ClientSessionSlot::Content> ClientSessionSlot::get(
    const std::function<std::shared_ptr<Content>()>& make) {
  const std::lock_guard lock(mutex_);
  if (!content_) content_ = make();
  return content_;
}

bool ClientSessionSlot::is_busy() const {
  std::shared_ptr<Content> content;
  {
    const std::lock_guard lock(mutex_);
    content = content_;
  }
  return content && content->is_busy();
}

void ClientSessionSlot::clear() {
  std::shared_ptr<Content> cleared;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  cleared.swap(content_);
}

}  // namespace helve::mcp
