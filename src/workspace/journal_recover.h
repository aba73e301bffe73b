// Brings a workspace in order after a crash.
#pragma once

#include "helve/error.h"
#include "workspace/changes_commit.h"
#include "workspace/history_store.h"

namespace helve {

enum class RecoveryScope {
  kMarked,   // change sets whose mark shows that nobody sees to them any more
  kAllOnce,  // the same, and after a restart of the machine all that are pending
};

// Each interrupted change set is settled (journal_settle.h) under its paths' locks, then whatever the history
// directory has and no record needs is removed. A change set that cannot be settled now, because the disk
// does not let itself be read or written, stays pending and is tried again the next time.
[[nodiscard]] Expected<RecoveryReport> recover_changes(const ChangesContext& context,
                                                       const HistoryStore& store, RecoveryScope scope);

}  // namespace helve
