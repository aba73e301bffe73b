// Server-sent events: the text/event-stream format, read and written.
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

// Reads events from bytes that come in pieces cut anywhere; LF, CRLF and CR all end a line. Used by one
// thread.
class SseReader {
 public:
  explicit SseReader(std::size_t event_limit = std::size_t{64} << 20) : event_limit_(event_limit) {}

  // False when an event is longer than the limit; then nothing more is read.
  [[nodiscard]] bool feed(std::string_view piece, const std::function<void(SentEvent&&)>& on_event);

  // For whoever connects again: also what came with an event without data, which is not handed out.
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
