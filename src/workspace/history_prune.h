// Keeps the history within its bounds.
#pragma once

#include <functional>

#include "helve/error.h"
#include "workspace/changes.h"
#include "workspace/history_store.h"

namespace helve {

// The policy: change sets are dropped oldest first, until no more than nine tenths of the bytes and of the
// number are left that ChangeOptions allows, and all that are older than its age; an undo or redo goes with
// the change set that it is about. Nothing happens as long as the bounds hold. A failure is no reason to
// complain: the next change tries again.
void prune_history(const HistoryStore& store, const ChangeOptions& options);

// Drops the chosen records with all that belongs to them. The bytes that this freed are counted in.
[[nodiscard]] Expected<ClearReport> drop_records(const HistoryStore& store,
                                                 const std::function<bool(const LoggedRecord&)>& is_unwanted,
                                                 Durability durability);

}  // namespace helve
