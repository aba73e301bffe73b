// A session: the calls of one client, with their mode, their approvals, their events and their output files.
//
//   #include <helve/runtime.h>
//   helve::Answer read_readme(helve::Runtime& runtime) {
//     const auto session = runtime.open_session({.id = "alice", .mode = helve::Mode::kPlan});
//     if (!session) return {helve::fail(session.error())};
//     return runtime.call(*session, {.tool = "read", .arguments = helve::JsonObject{{"path", "README.md"}}});
//   }
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "helve/api.h"
#include "helve/events.h"
#include "helve/permissions.h"
#include "helve/questions.h"

namespace HELVE_API helve {

struct SessionState;  // what the built-in tools remember

// Created by Runtime::open_session. The code that opened it and the calls that run in it share ownership. All
// functions may be used from all threads. References and pointers that they return are valid as long as the
// session. Destroying the session ends its background jobs.
class Session {
 public:
  // The content of a Session. Runtime::open_session and tests of tools fill it.
  struct Parts {
    std::string id;
    std::string output_directory;  // for long results; created on first use
    Mode mode = Mode::kAsk;
    std::shared_ptr<Permissions> permissions;
    std::shared_ptr<Approver> approver;  // null when the user cannot be asked
    std::shared_ptr<Asker> asker;        // null when the user cannot be asked
    std::shared_ptr<Sampler> sampler;    // null when the client offers no model
    std::shared_ptr<SessionState> state;
    std::uint64_t first_event = 1;
  };

  explicit Session(Parts parts)
      : events_(parts.id, EventStream::Limits(), parts.first_event),
        parts_(std::move(parts)),
        mode_(parts_.mode) {}

  [[nodiscard]] const std::string& id() const { return parts_.id; }
  // Where long results are stored. It exists only after the first of them.
  [[nodiscard]] const std::string& output_directory() const { return parts_.output_directory; }

  [[nodiscard]] Mode mode() const { return mode_; }
  // Changes the mode from the next call on. If sessions share one Permissions object, the decisions for all
  // of them change; Runtime::open_session gives each session its own.
  void use_mode(Mode mode) {
    parts_.permissions->use_mode(mode);
    mode_ = mode;
  }

  [[nodiscard]] Permissions& permissions() const { return *parts_.permissions; }
  [[nodiscard]] Approver* approver() const { return parts_.approver.get(); }  // may be null
  [[nodiscard]] Asker* asker() const { return parts_.asker.get(); }           // may be null
  [[nodiscard]] Sampler* sampler() const { return parts_.sampler.get(); }     // may be null

  // Everything that happens in this session, in order (helve/events.h).
  [[nodiscard]] EventStream& events() { return events_; }

  // Internal: what the built-in tools remember between calls.
  [[nodiscard]] SessionState& state() const { return *parts_.state; }

 private:
  EventStream events_;  // declared first: background jobs publish their end while the parts are destroyed
  const Parts parts_;
  std::atomic<Mode> mode_;
};

}  // namespace helve
