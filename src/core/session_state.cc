#include "core/session_state.h"

#include "helve/session.h"

namespace helve {

SessionState& session_state(const Context& context) { return context.session().state(); }

}  // namespace helve
