// Turns a planned change set into its history record.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "changes/changes_commit.h"
#include "changes/changes_plan.h"
#include "changes/history_record.h"
#include "changes/history_store.h"
#include "helve/error.h"

namespace helve::changes {

struct RecordedChanges {
  ChangeRecord record;
  std::uint64_t added_bytes = 0;  // in new blobs
};

// The old and new bytes go to the store; without a store they are kept in the record, in memory. `files` are
// the ones that change. On an error nothing is left in the store.
[[nodiscard]] Expected<RecordedChanges> record_changes(const HistoryStore* store, const FingerprintKey& key,
                                                       const ChangeSet& set, const std::string& id,
                                                       std::span<const PlannedFile* const> files,
                                                       const ChangeOptions& options);

// "x.bin: too large to undo …" for each such file; empty when all can be undone.
[[nodiscard]] std::string not_undoable_text(const ChangeRecord& record);
// The same for one file that cannot be undone.
[[nodiscard]] std::string not_undoable_text(const FileOutline& file);

}  // namespace helve::changes
