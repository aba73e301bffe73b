// Turns a planned change set into the record that the history keeps of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "helve/error.h"
#include "workspace/changes_commit.h"
#include "workspace/changes_plan.h"
#include "workspace/history_record.h"
#include "workspace/history_store.h"

namespace helve {

struct RecordedChanges {
  ChangeRecord record;
  std::uint64_t added_bytes = 0;  // in blobs that nobody had before
};

// The bytes go to the store, without which they go into the record, for as long as that lives. `files` are
// those that change. On an error nothing is left in the store.
[[nodiscard]] Expected<RecordedChanges> record_changes(const HistoryStore* store, const FingerprintKey& key,
                                                       const ChangeSet& set, const std::string& id,
                                                       std::span<const PlannedFile* const> files,
                                                       const ChangeOptions& options);

// "x.bin: too large to undo …" for each file that is; empty when all can be undone.
[[nodiscard]] std::string not_undoable_text(const ChangeRecord& record);
// The same for one file that cannot be.
[[nodiscard]] std::string not_undoable_text(const FileOutline& file);

}  // namespace helve
