// The conversation with one language server over two pipes: requests, answers, cancellation, its end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "base/file_io.h"
#include "helve/error.h"
#include "helve/json.h"
#include "lsp/framing.h"
#include "rpc/message.h"

namespace helve::lsp {

using Clock = std::chrono::steady_clock;

// How long somebody is willing to wait, and how he says that he is not any longer.
struct Patience {
  Clock::time_point deadline = Clock::time_point::max();
  std::stop_token stop = {};

  [[nodiscard]] bool is_over() const { return stop.stop_requested() || Clock::now() >= deadline; }
  [[nodiscard]] Patience at_most(Clock::duration time) const {
    return {std::min(deadline, Clock::now() + time), stop};
  }
};

// The reason of an end that nobody here wanted.
inline constexpr std::string_view kItEnded = "It has ended.";

// Owned by the server that it leads to. All functions may be called from all threads; the handlers run on the
// connection's own thread and must not wait for anything.
class Connection {
 public:
  struct Handlers {
    std::function<void(const rpc::Notification&)> on_notification;
    std::function<std::expected<Json, rpc::Failure>(const rpc::Request&)> on_request;
    std::function<void(const std::string& reason)> on_end;  // once
  };

  // Both descriptors do not block.
  Connection(UniqueFd from_server, UniqueFd to_server, Handlers handlers);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The result; TIMEOUT or CANCELLED when the patience ends, and then a late reply is dropped; UNAVAILABLE
  // when the server is gone; EXECUTION_FAILED with details.code when it refuses. Null params are left out.
  [[nodiscard]] Expected<Json> request(std::string_view method, Json params, const Patience& patience);
  void notify(std::string_view method, Json params);

  // Why there is nobody to talk to any more; empty while there is.
  [[nodiscard]] std::string end_reason() const;
  void end(const std::string& reason);
  // Grows with every message that came.
  [[nodiscard]] std::uint64_t messages_received() const;
  // Waits for everything that was said to be written.
  void flush(const Patience& patience);

 private:
  using Slot = std::optional<rpc::Response>;

  void run();
  void send(const Json& message);
  void hear(std::string_view bytes);
  void take(const std::string& body);
  void answer(const rpc::Request& request);
  bool write_some();
  void wake() const;

  UniqueFd from_server_;
  UniqueFd to_server_;
  UniqueFd wake_;
  const Handlers handlers_;
  FrameReader frames_;  // the connection's thread alone

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::int64_t last_id_ = 0;
  std::map<std::int64_t, std::shared_ptr<Slot>> waiting_;
  std::deque<std::string> outgoing_;
  std::size_t outgoing_bytes_ = 0;
  std::size_t written_ = 0;  // of the first one
  std::uint64_t received_ = 0;
  std::string end_reason_;
  bool told_end_ = false;

  std::jthread thread_;
};

}  // namespace helve::lsp
