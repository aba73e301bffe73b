// One client's connection: reads its requests, one after the other, and lets the handler answer them.
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "base/file_io.h"
#include "http/request_head.h"
#include "http/server.h"
#include "http/socket_io.h"

namespace helve::http {

// What all connections of a server share; it outlives them.
struct Service {
  ServerOptions options;
  Handler handler;
  Logger& logger;
};

// Owned by the server, which also owns the thread that runs it. The socket stays open for as long as the
// object lives, so that the other functions may be called from another thread at any time.
class Connection {
 public:
  Connection(UniqueFd socket, const Service& service) : socket_(std::move(socket)), service_(service) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Until the client goes, its time is up or the connection is ended.
  void run();

  [[nodiscard]] int socket() const { return socket_.get(); }
  enum class Phase {
    kIdle,     // between two requests
    kReading,  // waits for the rest of a request, or for the client to close
    kRunning,  // the handler runs
  };
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] Clock::time_point since() const { return Clock::time_point(Clock::duration(since_)); }
  // The client has gone: stops the exchange that is running and any that follows.
  void stop();
  // Takes what has come, and no more.
  void end_reading();
  // Wakes whatever waits for the client.
  void cut();

 private:
  void enter(Phase phase);
  [[nodiscard]] bool serve_one();
  [[nodiscard]] bool wait_for_request();
  [[nodiscard]] std::expected<RequestHead, Refusal> read_head();
  [[nodiscard]] std::expected<void, Refusal> read_body(RequestHead& head);
  [[nodiscard]] std::expected<void, Refusal> read_chunks(std::string& body, Clock::time_point deadline);
  [[nodiscard]] bool answer(RequestHead&& head);
  void refuse(const Response& response, const RequestHead* head);
  [[nodiscard]] std::stop_source next_stop();

  const UniqueFd socket_;
  const Service& service_;
  std::string input_ = {};  // what has come and is not used yet
  std::atomic<Phase> phase_ = Phase::kIdle;
  std::atomic<Clock::rep> since_ = Clock::now().time_since_epoch().count();

  std::mutex mutex_;  // guards these two
  bool stopped_ = false;
  std::optional<std::stop_source> running_ = {};
};

}  // namespace helve::http
