// The ordered stream of what happens in a session. Terminals, web pages and `--json` read it and nothing
// else.
//
//   #include <helve/runtime.h>
//   #include <iostream>
//   void follow(helve::Session& session, const std::stop_token& stop) {
//     std::uint64_t seen = 0;
//     while (!stop.stop_requested()) {
//       const auto batch = session.events().wait_after(seen, stop, std::chrono::seconds(30));
//       if (batch.missed > 0) std::cout << batch.missed << " events were dropped\n";
//       for (const auto& event : batch.events) {
//         std::cout << helve::to_text(event->to_json()) << "\n";
//         seen = event->seq;
//       }
//     }
//   }
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "helve/api.h"
#include "helve/error.h"
#include "helve/json.h"
#include "helve/result.h"

namespace HELVE_API helve {

// A piece of the model's text or of its reasoning. JSON: {"stream_kind", "content"}.
struct TextEvent {
  enum class Kind {
    kInit,       // a reply begins
    kReasoning,  // a piece of the reasoning
    kDelta,      // a piece of the text
    kFinal       // the whole text of the reply
  };
  Kind kind = Kind::kDelta;
  std::string content = {};
};

// A step of one tool call. JSON: {"tool_call", "tool_call_id", "tool_call_name", "tool_call_server_name", …},
// without empty members. docs/agent.md lists the members of each event.
struct ToolEvent {
  enum class Kind {
    kStart,               // the call arrived
    kRunning,             // it is allowed, its turn has come, and the tool runs
    kUpdate,              // progress or output while it runs
    kEnd,                 // it succeeded
    kError,               // it failed or was refused
    kPermissionRequired,  // the user is asked
    kPermissionGranted,   // the user said yes
    kPermissionDenied,    // the user said no, or could not be asked
    kQuestionRequired,    // a running tool asks the user something
  };
  Kind kind = Kind::kStart;
  std::string call_id = {};
  std::string tool = {};
  std::string params = {};    // the arguments as JSON text; in kStart and kRunning
  std::string server = {};    // the MCP server that the tool comes from; empty for Helve's own
  std::string response = {};  // the summary of the answer, or the error's message
  std::shared_ptr<const Answer> answer = {};  // at the end; its envelope is in the JSON
  Json permission_request = {};  // {toolName, serverName, permissionType, description, index, count, …}
  Json question_request = {};    // {question, choices, labels, …}
};

// A failure outside of tool calls, such as a model server that does not answer. JSON: {"error", "details"}.
struct ErrorEvent {
  std::string message = {};
  std::optional<ErrorCode> code = {};  // of a failure that ends the turn, or of a refused input
  std::string hint = {};               // what to do next; may be empty
  bool retrying = false;               // Helve asks the model again
  JsonObject details = {};             // more for programs; in the JSON, next to the members above
};

// The turn or the session is over.
struct EndEvent {
  std::string reason = {};
  Json details = {};  // such as tokens and time; null when there is nothing to report
};

using EventBody = std::variant<TextEvent, ToolEvent, ErrorEvent, EndEvent>;

// One event of a stream. Events are immutable once they are published.
struct Event {
  std::shared_ptr<const std::string> session_id = {};
  std::uint64_t seq = 0;
  EventBody body = {};

  // "SESSION-SEQ"; no other event has the same id.
  [[nodiscard]] std::string id() const;
  // "stream:response", "stream:error" or "stream:end". The text is static.
  [[nodiscard]] std::string_view name() const;
  // {"event": name(), "eventId": id(), "seq"} and the members of the body.
  [[nodiscard]] Json to_json() const;
};

// Keeps the most recent events of one session. Owned by its Session. All functions may be used from all
// threads. Publishing never waits for readers: a reader that falls behind loses the oldest events and learns
// how many it missed.
class EventStream {
 public:
  // When one of them is exceeded, the oldest events are dropped. The newest event is always kept.
  struct Limits {
    std::size_t events = 2'000;
    std::size_t bytes = std::size_t{8} << 20;  // estimated size in memory
  };

  explicit EventStream(std::string session_id) : EventStream(std::move(session_id), Limits()) {}
  // `first_seq` continues the numbers of an earlier stream of the same session.
  EventStream(std::string session_id, Limits limits, std::uint64_t first_seq = 1)
      : session_id_(std::make_shared<const std::string>(std::move(session_id))),
        limits_(limits),
        next_seq_(first_seq) {}

  // Appends an event, wakes the readers that wait, and returns the event's seq.
  std::uint64_t publish(EventBody&& body);

  struct Batch {
    std::vector<std::shared_ptr<const Event>> events;  // in order; they stay valid as long as they are held
    std::uint64_t missed = 0;                          // dropped events between `seq` and the first one here
  };
  // The events after `seq`, `most` at most. Pass 0 to start at the beginning, and later the seq of the last
  // event you received.
  [[nodiscard]] Batch after(std::uint64_t seq, std::size_t most = 1000) const;
  // The same, but waits until there is an event, `timeout` has passed or `stop` is requested. The batch is
  // empty in the last two cases.
  [[nodiscard]] Batch wait_after(std::uint64_t seq, const std::stop_token& stop,
                                 std::chrono::milliseconds timeout, std::size_t most = 1000) const;

  // The seq of the newest event; first_seq - 1 when nothing was published.
  [[nodiscard]] std::uint64_t last_seq() const;

 private:
  Batch after_locked(std::uint64_t seq, std::size_t most) const;

  const std::shared_ptr<const std::string> session_id_;  // shared by the events
  const Limits limits_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any published_;
  std::deque<std::pair<std::shared_ptr<const Event>, std::size_t>> kept_;  // with their sizes
  std::size_t kept_bytes_ = 0;
  std::uint64_t next_seq_;
  mutable std::size_t waiting_ = 0;  // readers in wait_after
};

}  // namespace helve
