// What the built-in tools remember for one session; it ends with the session.
#pragma once

#include <atomic>

#include "core/command_sessions.h"
#include "core/hook_runs.h"
#include "helve/context.h"
#include "workspace/read_log.h"

namespace helve {

struct SessionState {
  ReadLog read_log;
  CommandSessions commands;
  HookRuns hooks;
  // False where nobody can ever look at the session's events: then calls do not make any.
  std::atomic<bool> has_audience = true;
};

[[nodiscard]] SessionState& session_state(const Context& context);

}  // namespace helve
