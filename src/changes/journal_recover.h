// Rolls back or completes change sets that a failure or a crash interrupted.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "changes/changes_commit.h"
#include "changes/history_record.h"
#include "changes/history_store.h"
#include "changes/journal_inspect.h"
#include "changes/journal_locks.h"
#include "helve/error.h"
#include "workspace/file_write.h"
#include "workspace/root.h"

namespace helve::changes {

enum class SettleGoal {
  kFinishOrRollBack,  // after a crash: a change set whose last file is changed is complete
  kRollBack,          // the call failed and reports that
};

struct Settled {
  RecoveredChange::Outcome outcome = RecoveredChange::Outcome::kRolledBack;
  std::vector<std::string> foreign = {};
  std::vector<std::string> notes = {};
};

struct SettleContext {
  const workspace::Root& root;
  const FingerprintKey& key;
  FetchBytes fetch;
  workspace::Durability durability = workspace::Durability::kFull;
};

// Brings the first `count` files of the record to one state. Files are changed in order, so if the last one
// is changed, all are. Otherwise the files that still are as Helve wrote them are restored, last one first.
// Files changed by others since are not touched, and the outcome is kKeptAside. May be interrupted and
// repeated at any point. On an error some files may be restored and others not; try again later.
[[nodiscard]] Expected<Settled> settle(const SettleContext& context, const ChangeRecord& record,
                                       SettleGoal goal, std::size_t count);

enum class RecoveryScope {
  kMarked,   // change sets whose mark is abandoned
  kAllOnce,  // the same, and after a reboot all pending ones
};

// Settles each interrupted change set under its paths' locks, then removes everything in the history
// directory that no record needs. A change set that cannot be settled because the disk fails stays pending;
// the next recovery tries again.
[[nodiscard]] Expected<RecoveryReport> recover_changes(const ChangesContext& context,
                                                       const HistoryStore& store, RecoveryScope scope);

// Locks the paths of a change, and first settles what dead processes left unfinished on them. A process may
// die while this one waits for its locks, so that is checked under the locks. CONFLICT as PathLocks::take, or
// the error of a change set that cannot be settled.
[[nodiscard]] Expected<PathLocks> lock_settled(const ChangesContext& context, const HistoryStore& store,
                                               std::span<const std::string> paths);

}  // namespace helve::changes
