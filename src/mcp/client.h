// One client's connection: what it said of itself, what it waits for, what it was asked.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "mcp/client_info.h"
#include "mcp/offer.h"
#include "mcp/responder.h"

namespace helve::mcp {

// As in MCP's logging, from the least to the most important.
enum class LogSeverity { kDebug, kInfo, kNotice, kWarning, kError, kCritical, kAlert, kEmergency };
[[nodiscard]] std::string_view to_string(LogSeverity severity);
[[nodiscard]] std::optional<LogSeverity> log_severity(std::string_view name);

// What the offers keep for a client, or for several that are the same program. May be used from all threads.
class SeatHolder {
 public:
  struct Seat {
    virtual ~Seat() = default;
    // Whether something of the client's goes on without it.
    [[nodiscard]] virtual bool is_busy() const = 0;
  };
  // Made by the first who asks.
  [[nodiscard]] std::shared_ptr<Seat> seat(const std::function<std::shared_ptr<Seat>()>& make);
  [[nodiscard]] bool is_busy() const;
  void leave();

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Seat> seat_;
};

// Made by the transport, shared with the calls. May be used from all threads.
class Client {
 public:
  explicit Client(std::shared_ptr<SeatHolder> seat = std::make_shared<SeatHolder>())
      : seat_(std::move(seat)) {}

  [[nodiscard]] std::shared_ptr<const ClientInfo> info() const;
  void set_info(ClientInfo info);

  // The requests that are being worked on, by id.
  // It waits for its turn, and can be cancelled already.
  void announce(const Json& id);
  // Its turn will not come.
  void renounce(const Json& id);
  // A stop for the request; nothing when one with that id is under way already.
  [[nodiscard]] std::optional<std::stop_source> begin(const Json& id);
  // The same for a request that goes on with a call which has a stop already.
  [[nodiscard]] bool begin(const Json& id, std::stop_source stop);
  void end(const Json& id);
  void cancel(const Json& id);
  void cancel_all();

  // A request of ours, sent along with what belongs to somebody's request, and its answer. TIMEOUT when none
  // came in time, CANCELLED after a stop, UNAVAILABLE when the client has gone or refuses.
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;
  [[nodiscard]] Expected<Json> request(Responder& via, const std::string& method, Json params,
                                       const std::stop_token& stop, Deadline deadline = {});
  void take_response(rpc::Response response);

  // Nothing more comes from it: who waits for it waits in vain.
  void close();
  [[nodiscard]] std::stop_token closed() const { return closed_.get_token(); }

  // Messages that belong to no request. Without an outlet they are dropped.
  void set_outlet(std::function<void(const Json&)> outlet);
  void send(const Json& message) const;

  // Those that it found and loaded, where not all are listed. Whether any of them is new.
  bool load_tools(const std::vector<std::string>& names);
  [[nodiscard]] bool has_loaded(const std::string& name) const;

  [[nodiscard]] LogSeverity log_level() const { return log_level_; }
  void set_log_level(LogSeverity level) { log_level_ = level; }

  void keep(const std::string& uri, Subscription subscription);
  void drop(const std::string& uri);
  [[nodiscard]] std::size_t kept() const;

  // Whether its roots have to be asked for: at first, and after each change. Who gets true has to ask.
  [[nodiscard]] bool take_roots_news() { return roots_news_.exchange(false); }
  void roots_changed() { roots_news_ = true; }

  [[nodiscard]] SeatHolder& seat() const { return *seat_; }

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any answered_;
  std::shared_ptr<const ClientInfo> info_ = std::make_shared<ClientInfo>();
  struct UnderWay {
    std::stop_source stop = {};
    bool begun = false;
  };
  std::map<std::string, UnderWay> under_way_;
  std::map<std::int64_t, std::optional<rpc::Response>> asked_;
  std::int64_t next_id_ = 1;
  std::stop_source closed_;
  std::function<void(const Json&)> outlet_;
  std::map<std::string, Subscription> subscriptions_;
  std::set<std::string> loaded_tools_;
  const std::shared_ptr<SeatHolder> seat_;
  std::atomic<LogSeverity> log_level_{LogSeverity::kInfo};
  std::atomic<bool> roots_news_{true};
};

}  // namespace helve::mcp
