// Reads and writes server-sent events (text/event-stream).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace helve::http {

struct SentEvent {
  std::string event = {};  // empty: "message"
  std::string data = {};
  std::optional<std::string> id = {};
  std::optional<long> retry_ms = {};
};

[[nodiscard]] std::string to_text(const SentEvent& event);

// Reads events from bytes in arbitrary pieces; LF, CRLF and CR all end a line. Used from one thread.
class SseReader {
 public:
  explicit SseReader(std::size_t event_limit = std::size_t{64} << 20) : event_limit_(event_limit) {}

  // Returns false once an event exceeds the limit; nothing more is read then.
  [[nodiscard]] bool feed(std::string_view piece, const std::function<void(SentEvent&&)>& on_event);

  // For reconnecting: the last values, including those of events without data, which are not delivered.
  [[nodiscard]] const std::optional<std::string>& last_id() const { return last_id_; }
  [[nodiscard]] std::optional<long> retry_ms() const { return retry_ms_; }

 private:
  void end_line(const std::function<void(SentEvent&&)>& on_event);

  std::size_t event_limit_;
  std::string line_ = {};
  SentEvent event_ = {};
  bool has_data_ = false;
  bool after_cr_ = false;
  bool at_start_ = true;
  bool too_long_ = false;
  std::optional<std::string> last_id_ = {};
  std::optional<long> retry_ms_ = {};
};

}  // namespace helve::http
