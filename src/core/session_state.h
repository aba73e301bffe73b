// What the built-in tools remember for one session; it ends with the session.
#pragma once

#include "core/command_sessions.h"
#include "core/hook_runs.h"
#include "helve/context.h"
#include "workspace/read_log.h"

namespace helve {

struct SessionState {
  ReadLog read_log;
  CommandSessions commands;
  HookRuns hooks;
};

[[nodiscard]] SessionState& session_state(const Context& context);

}  // namespace helve
