// The client at the other end of a connection: its capabilities, its running requests, and the way to reach
// it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "helve/json.h"
#include "mcp/offer.h"
#include "rpc/mcp_protocol.h"
#include "rpc/message.h"

namespace helve::mcp {

// The severities of MCP's logging, least important first.
enum class LogSeverity { kDebug, kInfo, kNotice, kWarning, kError, kCritical, kAlert, kEmergency };
[[nodiscard]] std::string_view to_string(LogSeverity severity);
[[nodiscard]] std::optional<LogSeverity> log_severity(std::string_view name);

// The facts that the client declared about itself.
struct ClientInfo {
  std::string revision = std::string(rpc::kDefaultRevision);
  std::string name = {};
  std::string version = {};
  Json capabilities = JsonObject();

  [[nodiscard]] rpc::Protocol protocol() const { return rpc::protocol_of(revision); }
  [[nodiscard]] bool is_stateless() const { return protocol() == rpc::Protocol::kStateless; }
  // offers({"elicitation", "url"}): whether the capability is declared.
  [[nodiscard]] bool offers(std::initializer_list<std::string_view> path) const {
    const Json* at = &capabilities;
    for (const std::string_view step : path) {
      at = at->find(step);
      if (at == nullptr || !at->is_object()) return false;
    }
    return true;
  }
};

// Sends messages for one request: as lines on stdout, or as an HTTP answer that may become a stream. Shared
// by the transport and the request. May be used from all threads.
class Responder {
 public:
  virtual ~Responder() = default;
  // Sends a message that belongs to this request, before its answer: a notification or, in the session-based
  // protocol, a request to the client.
  virtual void send(const Json& message) = 0;
  // Called exactly once.
  virtual void answer(rpc::Response response) = 0;
  // Closes the connection early; a client of the session-based protocol reconnects for the rest.
  virtual void close_stream() {}
};

// Holds the runtime session of a client. May be used from all threads.
class ClientSessionSlot {
 public:
  struct Content {
    virtual ~Content() = default;
    // Whether jobs of the client are still running.
    [[nodiscard]] virtual bool is_busy() const = 0;
  };
  // The content, made at the first use.
  [[nodiscard]] std::shared_ptr<Content> get(const std::function<std::shared_ptr<Content>()>& make);
  [[nodiscard]] bool is_busy() const;
  void clear();

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Content> content_;
};

// Made by the transport, shared with the requests. May be used from all threads.
class Client {
 public:
  explicit Client(std::shared_ptr<ClientSessionSlot> slot = std::make_shared<ClientSessionSlot>(),
                  std::string credential = {})
      : slot_(std::move(slot)), credential_(std::move(credential)) {}

  // Identifies the credential of the client's requests; empty if none was needed. Another credential
  // cannot continue its requests.
  [[nodiscard]] const std::string& credential() const { return credential_; }

  [[nodiscard]] std::shared_ptr<const ClientInfo> info() const;
  void set_info(ClientInfo info);

  // The client's requests by id. A queued request has not begun, but can already be cancelled.
  void add_queued(const Json& id);
  void remove_queued(const Json& id);
  // The stop source of the request; nothing if a request with that id is already running.
  [[nodiscard]] std::optional<std::stop_source> begin(const Json& id);
  // The same for a request that resumes work which already has a stop source.
  [[nodiscard]] bool begin(const Json& id, std::stop_source stop);
  void end(const Json& id);
  void cancel(const Json& id);
  void cancel_all();

  // Sends a request to the client through `via` and waits for the answer. TIMEOUT if none came in time,
  // CANCELLED after a stop, UNAVAILABLE if the client disconnected or refused.
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;
  [[nodiscard]] Expected<Json> request(Responder& via, const std::string& method, Json params,
                                       const std::stop_token& stop, Deadline deadline = {});
  void take_response(rpc::Response response);

  // No more messages will arrive from the client, so nothing waits for its answers any longer.
  void close();
  [[nodiscard]] std::stop_token closed() const { return closed_.get_token(); }

  // For messages that belong to no request. Without an outlet they are dropped.
  void set_outlet(std::function<void(const Json&)> outlet);
  void send(const Json& message) const;

  // The tools that the client found with find_tools. Returns whether any of them is new.
  bool load_tools(const std::vector<std::string>& names);
  [[nodiscard]] bool has_loaded(const std::string& name) const;

  [[nodiscard]] LogSeverity log_level() const { return log_level_; }
  void set_log_level(LogSeverity level) { log_level_ = level; }

  void add_subscription(const std::string& uri, Subscription subscription);
  void remove_subscription(const std::string& uri);
  [[nodiscard]] std::size_t subscription_count() const;

  // Whether the roots must be requested: true at first and after each change. The caller that gets true must
  // request them.
  [[nodiscard]] bool take_roots_changed() { return roots_changed_.exchange(false); }
  void roots_changed() { roots_changed_ = true; }

  [[nodiscard]] ClientSessionSlot& session_slot() const { return *slot_; }

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any answered_;
  std::shared_ptr<const ClientInfo> info_ = std::make_shared<ClientInfo>();
  struct Running {
    std::stop_source stop = {};
    bool started = false;
  };
  std::map<std::string, Running> running_;
  std::map<std::int64_t, std::optional<rpc::Response>> asked_;
  std::int64_t next_id_ = 1;
  std::stop_source closed_;
  std::function<void(const Json&)> outlet_;
  std::map<std::string, Subscription> subscriptions_;
  std::set<std::string> loaded_tools_;
  const std::shared_ptr<ClientSessionSlot> slot_;
  const std::string credential_;
  std::atomic<LogSeverity> log_level_{LogSeverity::kInfo};
  std::atomic<bool> roots_changed_{true};
};

}  // namespace helve::mcp
