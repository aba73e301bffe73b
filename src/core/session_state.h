// What the built-in tools remember for one session; it ends with the session.
#pragma once

#include <atomic>
#include <string>

#include "core/command_sessions.h"
#include "core/hook_runs.h"
#include "helve/context.h"
#include "workspace/read_log.h"

namespace helve {

// Where the session's files lie. At the end the commands' /tmp goes, and all of it when nothing is left to
// read: most sessions keep nothing.
struct SessionDirectory {
  explicit SessionDirectory(std::string own_path) : path(std::move(own_path)) {}
  SessionDirectory(const SessionDirectory&) = delete;
  SessionDirectory& operator=(const SessionDirectory&) = delete;
  ~SessionDirectory();

  const std::string path;  // empty: it is left alone
};

struct SessionState {
  explicit SessionState(std::string own_directory = {}) : directory(std::move(own_directory)) {}

  SessionDirectory directory;  // first, so that it goes last
  ReadLog read_log;
  CommandSessions commands;
  HookRuns hooks;
  // False where nobody can ever look at the session's events: then calls do not make any.
  std::atomic<bool> has_audience = true;
};

[[nodiscard]] SessionState& session_state(const Context& context);

}  // namespace helve
