// The change that one command makes: recorded while it runs, added to the history at its end.
#pragma once

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/file_io.h"
#include "changes/changes.h"
#include "changes/command_store.h"
#include "changes/history_store.h"
#include "changes/journal_locks.h"
#include "effects/recorder.h"
#include "effects/watch.h"
#include "helve/error.h"

namespace helve::changes {

// The changes that a command made. Directories and symlinks count as files.
struct CommandOutcome {
  std::string change_id = {};  // empty when it changed nothing
  std::vector<HistoryFile> files = {};
  std::string not_undoable = {};  // from where on undo does not cover it; empty when all can be undone
};

// Owned by whoever runs the command. The root of `Changes` must outlive it. watch() and note_launcher() may
// be called from any thread, finish() from one.
class CommandChange {
 public:
  [[nodiscard]] static Expected<std::unique_ptr<CommandChange>> begin(
      const workspace::Root& root, std::string directory, const ChangeOptions& options, ChangeOrigin origin,
      effects::Budget budget, effects::LeftOut left_out);

  // Records the calls that arrive at the descriptor, from sandbox::watch_changes().
  void watch(UniqueFd listener) { watch_->serve(std::move(listener)); }
  void note_launcher(pid_t launcher);

  // Call it when no process of the command is left: adds the change to the history.
  [[nodiscard]] Expected<CommandOutcome> finish();

 private:
  CommandChange(const workspace::Root& root, std::string directory, const ChangeOptions& options,
                ChangeOrigin origin, effects::Budget budget, effects::LeftOut left_out);
  [[nodiscard]] Expected<effects::Storage> open_storage();

  const workspace::Root& root_;
  const std::string directory_;  // of the history
  const ChangeOptions options_;
  const ChangeOrigin origin_;
  const effects::LeftOut left_out_;
  const std::string id_;
  // Opened by the watching thread with the first change. A kill leaves the mark, by which recovery finds the
  // change.
  std::mutex mutex_;
  std::optional<HistoryStore> history_;
  std::optional<ActiveMark> mark_;
  std::optional<CommandStore> store_;
  pid_t launcher_ = 0;
  effects::Recorder recorder_;
  std::unique_ptr<effects::Watch> watch_;
};

// Adds a command's change to the history; used at its end and after a kill. Nothing is added when nothing
// changed.
[[nodiscard]] Expected<CommandOutcome> record_command(const HistoryStore& history, const CommandStore& store,
                                                      const workspace::Root& root, const std::string& id,
                                                      const ChangeOrigin& origin,
                                                      const effects::Before& before,
                                                      const effects::LeftOut& left_out);

// Adds the changes of commands whose Helve was killed. `adopted` are the ids of abandoned marks.
void recover_commands(const HistoryStore& history, const workspace::Root& root,
                      const std::vector<std::string>& adopted, RecoveryReport& report);

}  // namespace helve::changes
