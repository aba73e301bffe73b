#include "core/session_state.h"

#include "core/engines.h"
#include "helve/session.h"

namespace helve {

SessionState& SessionStates::of(const std::shared_ptr<Session>& session) {
  const std::lock_guard lock(mutex_);
  Entry& entry = states_[session.get()];
  if (entry.session.lock() == session) return *entry.state;
  // Also when the address was that of a session which has ended.
  entry = {session, std::make_unique<SessionState>()};
  std::erase_if(states_, [](const auto& known) { return known.second.session.expired(); });
  return *states_.at(session.get()).state;
}

SessionState& session_state(const Context& context) {
  return context.engines().session_states.of(context.shared_session());
}

}  // namespace helve
