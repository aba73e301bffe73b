// What the built-in tools remember for one session.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "helve/context.h"
#include "workspace/read_log.h"

namespace helve {

struct SessionState {
  ReadLog read_log;
};

// Finds the state of a session, for as long as the session lives. May be used from all threads.
class SessionStates {
 public:
  [[nodiscard]] SessionState& of(const std::shared_ptr<Session>& session);

 private:
  struct Entry {
    std::weak_ptr<Session> session;
    std::unique_ptr<SessionState> state;
  };
  std::mutex mutex_;
  std::map<const Session*, Entry> states_;
};

[[nodiscard]] SessionState& session_state(const Context& context);

}  // namespace helve
