// One client's run: its events, its permissions, its output files.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "helve/events.h"
#include "helve/permissions.h"
#include "helve/questions.h"

namespace helve {

struct SessionState;  // what the built-in tools remember

// Shared by the door that opened it and the calls that run in it. May be used from all threads.
class Session {
 public:
  struct Parts {
    std::string id;
    std::string output_directory;  // where long results go; made when first needed
    Mode mode = Mode::kAsk;
    std::shared_ptr<Permissions> permissions;
    std::shared_ptr<Approver> approver;  // null when there is nobody to ask
    std::shared_ptr<Asker> asker;        // the same
    std::shared_ptr<Sampler> sampler;    // null when the client has no model to offer
    std::shared_ptr<SessionState> state;
    std::uint64_t first_event = 1;
  };

  explicit Session(Parts parts)
      : events_(parts.id, EventStream::Limits(), parts.first_event),
        parts_(std::move(parts)),
        mode_(parts_.mode) {}

  [[nodiscard]] const std::string& id() const { return parts_.id; }
  [[nodiscard]] const std::string& output_directory() const { return parts_.output_directory; }
  [[nodiscard]] Mode mode() const { return mode_; }
  // From the next call on, if its permissions go by a mode; those of other sessions that share them change,
  // too.
  void use_mode(Mode mode) {
    parts_.permissions->use_mode(mode);
    mode_ = mode;
  }
  [[nodiscard]] Permissions& permissions() const { return *parts_.permissions; }
  [[nodiscard]] Approver* approver() const { return parts_.approver.get(); }
  [[nodiscard]] Asker* asker() const { return parts_.asker.get(); }
  [[nodiscard]] Sampler* sampler() const { return parts_.sampler.get(); }
  [[nodiscard]] EventStream& events() { return events_; }
  [[nodiscard]] SessionState& state() const { return *parts_.state; }

 private:
  EventStream events_;  // outlives what is in the parts: background commands tell of their end
  const Parts parts_;
  std::atomic<Mode> mode_;
};

}  // namespace helve
