// A JSON-RPC connection to one language server over two pipes.
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
#include "rpc/message.h"

namespace helve::lsp {

using Clock = std::chrono::steady_clock;

[[nodiscard]] std::string frame(std::string_view body);

// Splits a byte stream with Content-Length framing into message bodies. Not thread-safe.
class FrameReader {
 public:
  void append(std::string_view bytes) { buffer_ += bytes; }
  // The next complete body, or nothing if more bytes are needed. After an error the stream is unusable. Lines
  // before a header that are not headers, such as stray output of the program, are skipped.
  [[nodiscard]] Expected<std::optional<std::string>> next();

 private:
  std::string buffer_;
  std::size_t done_ = 0;  // bytes of the buffer that were returned already
};

// When a caller stops waiting: at a deadline or on cancellation.
struct WaitLimit {
  Clock::time_point deadline = Clock::time_point::max();
  std::stop_token stop = {};

  [[nodiscard]] bool is_over() const { return stop.stop_requested() || Clock::now() >= deadline; }
  [[nodiscard]] WaitLimit at_most(Clock::duration time) const {
    return {std::min(deadline, Clock::now() + time), stop};
  }
};

// Who ended a connection: Helve, or the server by exiting.
enum class EndedBy { kHelve, kServer };

inline constexpr std::string_view kServerExited = "The process exited.";

// Owned by its Server. Thread-safe. The handlers run on the connection's own thread and must not block.
class Connection {
 public:
  struct Handlers {
    std::function<void(const rpc::Notification&)> on_notification;
    std::function<std::expected<Json, rpc::Failure>(const rpc::Request&)> on_request;
    std::function<void(const std::string& reason, EndedBy by)> on_end;  // once
  };

  // Both descriptors are non-blocking.
  Connection(UniqueFd from_server, UniqueFd to_server, Handlers handlers);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Returns the result. Fails with TIMEOUT or CANCELLED at the limit (a late reply is dropped), UNAVAILABLE
  // if the server has exited, or EXECUTION_FAILED with details.code if it returns an error. Null params are
  // omitted.
  [[nodiscard]] Expected<Json> request(std::string_view method, Json params, const WaitLimit& limit);
  void notify(std::string_view method, Json params);

  // Why the connection ended; empty while it is open.
  [[nodiscard]] std::string end_reason() const;
  void end(const std::string& reason, EndedBy by = EndedBy::kHelve);
  // kHelve while it is open.
  [[nodiscard]] EndedBy ended_by() const;
  // Number of messages received so far.
  [[nodiscard]] std::uint64_t messages_received() const;
  // Waits until all outgoing messages are written.
  void flush(const WaitLimit& limit);

 private:
  using Slot = std::optional<rpc::Response>;

  void run();
  void send(const Json& message);
  void receive(std::string_view bytes);
  void dispatch(const std::string& body);
  void answer(const rpc::Request& request);
  bool write_some();
  void wake() const;

  UniqueFd from_server_;
  UniqueFd to_server_;
  UniqueFd wake_;
  const Handlers handlers_;
  FrameReader frames_;  // used by the connection's thread only

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable_any changed_;
  std::int64_t last_id_ = 0;
  std::map<std::int64_t, std::shared_ptr<Slot>> waiting_;
  std::deque<std::string> outgoing_;
  std::size_t outgoing_bytes_ = 0;
  std::size_t written_ = 0;  // bytes of the first message
  std::uint64_t received_ = 0;
  std::string end_reason_;
  EndedBy ended_by_ = EndedBy::kHelve;

  std::jthread thread_;
};

}  // namespace helve::lsp
