// One client's connection: reads its requests one after the other and passes them to the handler.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <expected>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/file_io.h"
#include "http/request_parser.h"
#include "http/response_text.h"
#include "http/server.h"
#include "http/socket_io.h"

namespace helve::http {

// The answer to one request. Lives on the connection's thread while the handler runs.
class ConnectionExchange final : public Exchange {
 public:
  enum class Next { kKeep, kClose, kCut };

  ConnectionExchange(int socket, RequestHead&& head, const Limits& limits, std::stop_source stop);

  Request& request() override { return head_.request; }
  [[nodiscard]] std::stop_token stop() const override { return stop_.get_token(); }
  void respond(Response response) override;
  void begin(Response head) override;
  bool write(std::string_view piece) override;

  // Called after the handler has thrown, so that a partial answer does not look complete.
  void abandon();
  // Completes the answer. Returns what to do with the connection.
  [[nodiscard]] Next finish();

 private:
  enum class State { kNothing, kBegun, kComplete, kBroken };

  void send_response(const Response& response);
  void send_begin(const Response& response);
  [[nodiscard]] bool send_piece(std::string_view piece);
  [[nodiscard]] bool send(std::span<iovec> pieces);

  const int socket_;
  RequestHead head_;
  const Limits limits_;
  const std::stop_source stop_;
  const bool is_head_;  // the method is HEAD
  const bool may_keep_;

  std::mutex mutex_;  // guards the members below; held while sending, so that pieces do not interleave
  State state_ = State::kNothing;
  Framing framing_ = Framing::kLength;
  bool keep_ = false;
};

// Shared by all connections of a server; outlives them.
struct Service {
  ServerOptions options;
  Handler handler;
  Logger& logger;
};

// Owned by the server, which also owns the thread that calls run(). The socket stays open during the object's
// lifetime, so the other functions may be called from another thread at any time.
class Connection {
 public:
  // `number` identifies the connection among all of the server.
  Connection(UniqueFd socket, std::uint64_t number, const Service& service)
      : socket_(std::move(socket)),
        number_(number),
        service_(service),
        stranger_(service.options.admit != nullptr),
        introduced_by_(after(service.options.limits.stranger_time)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Serves requests until the client disconnects, times out or the connection is ended.
  void run();

  [[nodiscard]] int socket() const { return socket_.get(); }
  enum class Phase {
    kIdle,     // between two requests
    kReading,  // waits for the rest of a request or for the client to close
    kRunning,  // the handler runs
  };
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] Clock::time_point since() const { return Clock::time_point(Clock::duration(since_)); }
  // Whether no request was admitted yet.
  [[nodiscard]] bool is_stranger() const { return stranger_; }
  // Stops the current exchange and all later ones, because the client has disconnected.
  void stop();
  // Stops reading; data that has already arrived is still used.
  void end_reading();
  // Shuts the socket down, which wakes all waiting reads and writes.
  void shut_down();

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
  const std::uint64_t number_;
  const Service& service_;
  std::string input_ = {};  // received but not yet used
  std::atomic<bool> stranger_;
  const Clock::time_point introduced_by_;  // when a stranger's time ends
  std::atomic<Phase> phase_ = Phase::kIdle;
  std::atomic<Clock::rep> since_ = Clock::now().time_since_epoch().count();

  std::mutex mutex_;  // guards stopped_ and running_
  bool stopped_ = false;
  std::optional<std::stop_source> running_ = {};
};

}  // namespace helve::http
