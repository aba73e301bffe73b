// The sessions of the old era over HTTP: made by initialize, ended by DELETE or by being forgotten.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "mcp/event_log.h"
#include "mcp/server.h"

namespace helve::mcp {

// Shared by the table and the requests that use it. May be used from all threads.
class HttpSession {
 public:
  explicit HttpSession(std::string id) : id_(std::move(id)), client_(std::make_shared<Client>()) {
    client_->set_outlet([log = own_](const Json& message) { log->add(to_text(message)); });
  }

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const std::shared_ptr<Client>& client() const { return client_; }
  // A stream for the answer to one request.
  [[nodiscard]] std::shared_ptr<EventLog> open_stream();
  // The stream that belongs to no request is number 0.
  [[nodiscard]] std::shared_ptr<EventLog> stream(std::uint64_t number) const;
  // Everything on it has reached the client.
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

  // Now and then `sweep` is called, for what else has to be forgotten.
  HttpSessions(Server& server, Limits limits, std::function<void()> sweep);
  ~HttpSessions();

  // Null when there are too many.
  [[nodiscard]] std::shared_ptr<HttpSession> create();
  // In use as long as the pointer lives; null when there is no such session.
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
  // What is to be done at a session's end, whatever the reason.
  void part_from(HttpSession& session);

  Server& server_;
  const Limits limits_;
  const std::function<void()> sweep_;
  mutable std::mutex mutex_;
  std::condition_variable_any stopping_;
  std::map<std::string, Entry, std::less<>> sessions_;
  std::jthread sweeper_;
};

}  // namespace helve::mcp
