// What the built-in tools remember for one session; it ends with the session.
#pragma once

#include <atomic>
#include <string>

#include "core/command_sessions.h"
#include "core/hook_runs.h"
#include "helve/context.h"
#include "workspace/read_log.h"

namespace helve {

// Removed at the end when there is nothing in it: most sessions keep nothing.
struct OutputDirectory {
  explicit OutputDirectory(std::string session_directory) : path(std::move(session_directory)) {}
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;
  ~OutputDirectory();

  const std::string path;  // empty: it is left alone
};

struct SessionState {
  explicit SessionState(std::string own_directory = {}) : directory(std::move(own_directory)) {}

  OutputDirectory directory;  // first, so that it goes last
  ReadLog read_log;
  CommandSessions commands;
  HookRuns hooks;
  // False where nobody can ever look at the session's events: then calls do not make any.
  std::atomic<bool> has_audience = true;
};

[[nodiscard]] SessionState& session_state(const Context& context);

}  // namespace helve
