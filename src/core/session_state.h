// State that the built-in tools keep for one session.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "base/file_io.h"
#include "core/command_jobs.h"
#include "core/hook_runs.h"
#include "helve/context.h"
#include "workspace/file_state.h"

namespace helve {

// The directory of the session's files, created on first use.
class SessionDirectory {
 public:
  enum class AtTheEnd {
    kIsKept,  // other processes may use the same session
    kGoes     // removes the jobs' /tmp, and the whole directory when no output is left
  };
  SessionDirectory(std::string path, AtTheEnd at_the_end) : path_(std::move(path)), at_the_end_(at_the_end) {}
  SessionDirectory(const SessionDirectory&) = delete;
  SessionDirectory& operator=(const SessionDirectory&) = delete;
  ~SessionDirectory();

  // Protects the directory from clean-up by other processes (session_files.h). May be called from all
  // threads; cheap after the first call.
  void hold();

 private:
  const std::string path_;  // empty: none
  const AtTheEnd at_the_end_;
  std::once_flag once_;
  UniqueFd held_;
};

struct SessionState {
  explicit SessionState(std::string path = {},
                        SessionDirectory::AtTheEnd at_the_end = SessionDirectory::AtTheEnd::kIsKept)
      : directory(std::move(path), at_the_end) {}

  SessionDirectory directory;  // first, so that it is destroyed last
  workspace::ReadLog read_log;
  core::CommandJobs commands;
  core::HookRuns hooks;
  // False when nothing can read the session's events: calls then publish none.
  std::atomic<bool> has_audience = true;
  std::atomic<bool> compile_hint_shown = false;  // the hint about compile commands (lsp/questions.h)
};

[[nodiscard]] SessionState& session_state(const Context& context);

}  // namespace helve
