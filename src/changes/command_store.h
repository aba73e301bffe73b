// Where the history keeps what commands changed: a directory for each change.
#pragma once

#include <string>

#include "base/file_io.h"
#include "changes/history_store.h"
#include "effects/effects.h"
#include "effects/recorder.h"
#include "helve/error.h"

namespace helve::changes {

// STATE/history/WORKSPACE-ID/commands/CHANGE-ID/
//   journal    what was there before the command; only needed if its Helve is killed
//   launcher   the process whose end ends the command
//   objects/   kept files: see effects/kept_objects.h
//   effects    each path before and after, written at the end
class CommandStore {
 public:
  [[nodiscard]] static Expected<CommandStore> create(const HistoryStore& history,
                                                     const std::string& change_id);
  // NOT_FOUND when the history does not have it.
  [[nodiscard]] static Expected<CommandStore> open(const HistoryStore& history, const std::string& change_id);
  // Deletes everything that is kept for the change.
  static void remove(const HistoryStore& history, const std::string& change_id);
  // The ids of all changes that have a directory.
  [[nodiscard]] static std::vector<std::string> list(const HistoryStore& history);

  [[nodiscard]] Expected<effects::KeptObjects> objects() const;
  [[nodiscard]] Expected<UniqueFd> create_journal() const;
  [[nodiscard]] Expected<std::string> journal() const;
  void drop_journal() const;

  // NOT_FOUND before the end of the command, EXECUTION_FAILED when it is damaged.
  [[nodiscard]] Expected<effects::Effects> effects() const;
  [[nodiscard]] Expected<void> write_effects(const effects::Effects& effects) const;

  void note_launcher(pid_t launcher) const;
  // Waits up to a second for the launcher to end.
  void wait_for_launcher() const;

 private:
  explicit CommandStore(UniqueFd directory) : directory_(std::move(directory)) {}

  UniqueFd directory_;
};

}  // namespace helve::changes
