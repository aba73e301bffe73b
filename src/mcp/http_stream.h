// The messages for one HTTP stream: recorded as events, sent as one JSON answer or as server-sent events, and
// sent again to a client that lost its connection.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "http/server.h"
#include "mcp/client.h"

namespace helve::mcp {

// Shared by those who add events and the HTTP request that sends them. May be used from all threads.
class EventLog {
 public:
  explicit EventLog(std::uint64_t stream, std::size_t most_bytes = std::size_t{4} << 20)
      : stream_(stream), most_bytes_(most_bytes) {}

  void add(std::string text);
  // No more events follow; the second form adds the last event in the same step.
  void finish();
  void finish(std::string last);
  // Makes the current reader stop. Another reader can attach later.
  void detach();
  // Replaces the current reader. Returns the new reader's number.
  [[nodiscard]] std::uint64_t attach();

  struct Next {
    enum class Kind { kEvent, kFinished, kDetached, kNothing };
    Kind kind = Kind::kNothing;
    std::string text = {};
    std::uint64_t number = 0;
  };
  // The first event after that number. Waits until there is one, a stop, or the end of `wait`.
  [[nodiscard]] Next after(std::uint64_t number, std::uint64_t reader, const std::stop_token& stop,
                           std::chrono::milliseconds wait);

  // The last event that was sent to the client.
  [[nodiscard]] std::uint64_t delivered() const;
  void mark_delivered(std::uint64_t number);
  [[nodiscard]] std::uint64_t stream() const { return stream_; }
  [[nodiscard]] std::string id_of(std::uint64_t number) const;
  [[nodiscard]] bool is_finished() const;
  // The event, if the log is finished and has exactly one.
  [[nodiscard]] std::optional<std::string> only_event() const;

 private:
  void append(std::string text);

  const std::uint64_t stream_;
  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::string> events_;
  std::uint64_t first_ = 1;  // number of the oldest event that is kept
  std::size_t bytes_ = 0;
  bool finished_ = false;
  std::uint64_t reader_ = 0;
  std::uint64_t delivered_ = 0;
};

// "3-7" → stream 3, event 7.
struct EventId {
  std::uint64_t stream = 0;
  std::uint64_t number = 0;
};
[[nodiscard]] std::optional<EventId> read_event_id(std::string_view text);

// Writes to a log that the HTTP request's thread reads.
class LogResponder final : public Responder {
 public:
  explicit LogResponder(std::shared_ptr<EventLog> log) : log_(std::move(log)) {}
  void send(const Json& message) override { log_->add(to_text(message)); }
  void answer(rpc::Response response) override;
  void close_stream() override { log_->detach(); }

  // The HTTP status if the answer is the only message.
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] bool has_failed() const { return has_failed_; }

 private:
  const std::shared_ptr<EventLog> log_;
  std::atomic<int> status_ = 200;
  std::atomic<bool> has_failed_ = false;
};

[[nodiscard]] http::Response json_response(int status, std::string body);

struct StreamOptions {
  std::uint64_t after = 0;                  // the last event that the client has
  bool numbered = false;                    // events have ids, so that the client can resume
  bool primed = false;                      // the stream begins with an id to resume from
  bool stream_only = false;                 // never answer with plain JSON
  const LogResponder* responder = nullptr;  // gives the status of a plain JSON answer
  http::Headers headers = {};
};

// Sends the log's events: a single event as plain JSON, several as a stream. True when all events were
// written, false when the reader was detached or the client disconnected.
bool send_events(http::Exchange& exchange, EventLog& log, const StreamOptions& options);

}  // namespace helve::mcp
