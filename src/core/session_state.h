// What the built-in tools remember for one session; it ends with the session.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "base/file_io.h"
#include "core/command_sessions.h"
#include "core/hook_runs.h"
#include "helve/context.h"
#include "workspace/read_log.h"

namespace helve {

// Where the session's files lie; made when first needed.
class SessionDirectory {
 public:
  enum class AtTheEnd {
    kIsKept,  // others may have the same session
    kGoes     // the commands' /tmp goes, and all of it when nothing is left to read: most keep nothing
  };
  SessionDirectory(std::string path, AtTheEnd at_the_end) : path_(std::move(path)), at_the_end_(at_the_end) {}
  SessionDirectory(const SessionDirectory&) = delete;
  SessionDirectory& operator=(const SessionDirectory&) = delete;
  ~SessionDirectory();

  // From now on nobody who tidies up takes the directory for one that was left (session_files.h). May be
  // called from all threads, and costs nothing but the first time.
  void hold();

 private:
  const std::string path_;  // empty: there is none
  const AtTheEnd at_the_end_;
  std::once_flag once_;
  UniqueFd held_;
};

struct SessionState {
  explicit SessionState(std::string path = {},
                        SessionDirectory::AtTheEnd at_the_end = SessionDirectory::AtTheEnd::kIsKept)
      : directory(std::move(path), at_the_end) {}

  SessionDirectory directory;  // first, so that it goes last
  ReadLog read_log;
  CommandSessions commands;
  HookRuns hooks;
  // False where nobody can ever look at the session's events: then calls do not make any.
  std::atomic<bool> has_audience = true;
  std::atomic<bool> was_told_of_guesses = false;  // those of a language server (lsp/questions.h)
};

[[nodiscard]] SessionState& session_state(const Context& context);

}  // namespace helve
