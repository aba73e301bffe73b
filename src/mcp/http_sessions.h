// The clients of the HTTP endpoint: sessions of the session-based protocol, and those that Helve keeps for
// stateless clients.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "mcp/client.h"
#include "mcp/http_stream.h"
#include "mcp/server.h"

namespace helve::mcp {

// Begun by initialize, ended by DELETE or by idling. Shared by the table and the requests that use it. May be
// used from all threads.
class HttpSession {
 public:
  explicit HttpSession(std::string id) : id_(std::move(id)), client_(std::make_shared<Client>()) {
    client_->set_outlet([log = own_](const Json& message) { log->add(to_text(message)); });
  }

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const std::shared_ptr<Client>& client() const { return client_; }
  // Makes a stream for the answer to one request.
  [[nodiscard]] std::shared_ptr<EventLog> open_stream();
  // Stream 0 belongs to no request. Null if there is no such stream.
  [[nodiscard]] std::shared_ptr<EventLog> stream(std::uint64_t number) const;
  // Call it when all events of the stream were sent.
  void drop_stream(std::uint64_t number);

 private:
  const std::string id_;
  const std::shared_ptr<EventLog> own_ = std::make_shared<EventLog>(0);
  const std::shared_ptr<Client> client_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<EventLog>> streams_;
  std::uint64_t next_stream_ = 1;
};

// Owned by the endpoint. May be used from all threads.
class HttpSessions {
 public:
  struct Limits {
    std::size_t sessions = 256;
    std::chrono::milliseconds idle{1'800'000};
  };

  // Also calls `sweep` regularly, to drop other idle state.
  HttpSessions(Server& server, Limits limits, std::function<void()> sweep);
  ~HttpSessions();

  // Null if there are too many sessions.
  [[nodiscard]] std::shared_ptr<HttpSession> create();
  // The session does not idle while the pointer lives. Null if there is no such session.
  [[nodiscard]] std::shared_ptr<HttpSession> find(const std::string& id);
  bool end(const std::string& id);
  [[nodiscard]] std::size_t count() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    std::shared_ptr<HttpSession> session;
    Clock::time_point last_used;
  };
  void forget_idle(std::chrono::milliseconds idle);
  void close(HttpSession& session);

  Server& server_;
  const Limits limits_;
  const std::function<void()> sweep_;
  mutable std::mutex mutex_;
  std::condition_variable_any stopping_;
  std::map<std::string, Entry, std::less<>> sessions_;
  std::jthread sweeper_;
};

// The sessions of stateless clients. Requests belong together if they have the same credential and came on
// the same connection or repeat the session's handle; nothing that a client can guess or choose connects
// them. Owned by the endpoint. May be used from all threads.
class StatelessSessions {
 public:
  struct Origin {
    std::string credential = {};
    std::uint64_t connection = 0;  // 0: other clients may use it, too
    std::string handle = {};       // empty: none was sent
  };
  struct Found {
    std::shared_ptr<ClientSessionSlot> slot = {};
    std::string handle = {};
  };

  explicit StatelessSessions(std::size_t most = 256) : most_(most) {}

  // The request's session, new if it has none yet. NOT_FOUND if its handle names none of this credential,
  // UNAVAILABLE if there are too many sessions and all are in use.
  [[nodiscard]] Expected<Found> find(const Origin& origin);
  // Drops the sessions that no request has used for so long and in which no job runs.
  void forget_idle(std::chrono::milliseconds idle);
  [[nodiscard]] std::size_t count() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    std::string credential = {};
    std::uint64_t connection = 0;
    std::shared_ptr<ClientSessionSlot> slot = std::make_shared<ClientSessionSlot>();
    Clock::time_point last_used = {};
  };
  [[nodiscard]] std::shared_ptr<ClientSessionSlot> take_oldest_unused();

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> sessions_;  // by handle
};

}  // namespace helve::mcp
