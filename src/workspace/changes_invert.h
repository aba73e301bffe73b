// The change set that takes another one back, checked against what is on the disk.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "helve/error.h"
#include "workspace/changes.h"
#include "workspace/changes_commit.h"
#include "workspace/history_record.h"
#include "workspace/history_store.h"

namespace helve {

enum class InvertFor { kUndo, kRedo };  // for the words of errors

// Owned by one thread. The changes point into the other members.
struct Inverse {
  std::vector<FileChange> changes;
  std::vector<RestoredFile> reports;  // one for each, as yet without what the commit will tell
  std::vector<std::unique_ptr<const std::string>> contents;
};

// CONFLICT when a file is not as the record left it, with reason and, for text that is not too large, `diff`
// in the details: from what Helve left to what is there now. NOT_FOUND when the old bytes are not kept.
[[nodiscard]] Expected<Inverse> invert_changes(const ChangesContext& context, const HistoryStore& store,
                                               const ChangeRecord& record, InvertFor purpose);

}  // namespace helve
