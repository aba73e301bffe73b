// What is sent on one stream, kept so that a client which lost its connection can have the rest.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace helve::mcp {

// Shared by those who write to the stream and those who carry it to the client. May be used from all threads.
class EventLog {
 public:
  explicit EventLog(std::uint64_t stream, std::size_t most_bytes = std::size_t{4} << 20)
      : stream_(stream), most_bytes_(most_bytes) {}

  void add(std::string text);
  // Nothing more comes; the second form adds the last event in the same step.
  void finish();
  void finish(std::string last);
  // Whoever carries it stops; it can be taken up again.
  void interrupt();
  // Takes it up, instead of whoever carries it now. What is given back stands for the one who does.
  [[nodiscard]] std::uint64_t carry();

  struct Next {
    enum class Kind { kEvent, kFinished, kInterrupted, kNothing };
    Kind kind = Kind::kNothing;
    std::string text = {};
    std::uint64_t number = 0;
  };
  // The first event after that number, waited for until a stop or the time is over.
  [[nodiscard]] Next after(std::uint64_t number, std::uint64_t carrier, const std::stop_token& stop,
                           std::chrono::milliseconds wait);

  // The last event that somebody carried away.
  [[nodiscard]] std::uint64_t carried() const;
  void mark_carried(std::uint64_t number);
  [[nodiscard]] std::uint64_t stream() const { return stream_; }
  [[nodiscard]] std::string id_of(std::uint64_t number) const;
  [[nodiscard]] bool is_finished() const;
  // True when the events are finished and there is but one.
  [[nodiscard]] std::optional<std::string> only_event() const;

 private:
  void append(std::string text);

  const std::uint64_t stream_;
  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::string> events_;
  std::uint64_t first_ = 1;  // number of the first that is kept
  std::size_t bytes_ = 0;
  bool finished_ = false;
  std::uint64_t carrier_ = 0;
  std::uint64_t carried_ = 0;
};

// "3-7" → stream 3, event 7.
struct EventId {
  std::uint64_t stream = 0;
  std::uint64_t number = 0;
};
[[nodiscard]] std::optional<EventId> read_event_id(std::string_view text);

}  // namespace helve::mcp
