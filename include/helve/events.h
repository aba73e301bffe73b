// The ordered stream of what happens in a session: the only source for terminals, consoles and `--json`.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "helve/json.h"
#include "helve/result.h"

namespace helve {

// A piece of the model's text, or of what it thinks before it speaks.
struct TextEvent {
  enum class Kind { kInit, kReasoning, kDelta, kFinal };
  Kind kind = Kind::kDelta;
  std::string content = {};
};

// A step in the life of a tool call. Members that say nothing are left out of the JSON.
struct ToolEvent {
  enum class Kind {
    kStart,
    kRunning,
    kUpdate,
    kEnd,
    kError,
    kPermissionRequired,
    kPermissionGranted,
    kPermissionDenied,
    kQuestionRequired,
  };
  Kind kind = Kind::kStart;
  std::string call_id = {};
  std::string tool = {};
  std::string params = {};                    // JSON text
  std::string server = {};                    // MCP server
  std::string response = {};                  // the summary
  std::shared_ptr<const Answer> answer = {};  // at the end; its envelope is in the JSON
  Json permission_request = {};               // {toolName, serverName, permissionType, description}
  Json question_request = {};                 // {question, choices}
};

struct ErrorEvent {
  std::string message = {};
  Json details = {};
};

// The turn or session is over.
struct EndEvent {
  std::string reason = {};
  Json details = {};  // what it took; left out when there is nothing to say
};

using EventBody = std::variant<TextEvent, ToolEvent, ErrorEvent, EndEvent>;

struct Event {
  std::shared_ptr<const std::string> session_id = {};
  std::uint64_t seq = 0;
  EventBody body = {};

  // Unlike any other event's: session and seq.
  [[nodiscard]] std::string id() const;
  // "stream:response", "stream:error" or "stream:end".
  [[nodiscard]] std::string_view name() const;
  [[nodiscard]] Json to_json() const;
};

// Keeps the last events of a session. Publishing never waits for readers; a reader that falls behind is told
// how much it missed. All functions may be used from all threads.
class EventStream {
 public:
  struct Limits {
    std::size_t events = 2'000;
    std::size_t bytes = std::size_t{8} << 20;
  };

  explicit EventStream(std::string session_id) : EventStream(std::move(session_id), Limits()) {}
  EventStream(std::string session_id, Limits limits, std::uint64_t first_seq = 1)
      : session_id_(std::make_shared<const std::string>(std::move(session_id))),
        limits_(limits),
        next_seq_(first_seq) {}

  // Gives the event its place and returns its seq; that of the first one is 1 unless told otherwise.
  std::uint64_t publish(EventBody&& body);

  struct Batch {
    std::vector<std::shared_ptr<const Event>> events;
    std::uint64_t missed = 0;  // events after the asked-for seq that are no longer kept
  };
  // What came after `seq` (0: from the beginning), at most `most` events.
  [[nodiscard]] Batch after(std::uint64_t seq, std::size_t most = 1000) const;
  // The same, but waits until there is something, the time is over or a stop is requested.
  [[nodiscard]] Batch wait_after(std::uint64_t seq, const std::stop_token& stop,
                                 std::chrono::milliseconds timeout, std::size_t most = 1000) const;

  [[nodiscard]] std::uint64_t last_seq() const;

 private:
  Batch after_locked(std::uint64_t seq, std::size_t most) const;

  const std::shared_ptr<const std::string> session_id_;  // the events share it
  const Limits limits_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any published_;
  std::deque<std::pair<std::shared_ptr<const Event>, std::size_t>> kept_;  // with their sizes
  std::size_t kept_bytes_ = 0;
  std::uint64_t next_seq_;
  mutable std::size_t waiting_ = 0;  // readers in wait_after
};

}  // namespace helve
