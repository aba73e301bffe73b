// Makes one change set: records it, changes the files, and marks it as committed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "changes/changes.h"
#include "changes/history_record.h"
#include "helve/error.h"
#include "workspace/root.h"

namespace helve::changes {

struct ChangeSet {
  ChangeOrigin origin;
  std::span<const FileChange> changes;
  RecordRole role = RecordRole::kChange;
  std::string subject = {};  // kUndo, kRedo: the change set that is undone or redone
  std::vector<std::string> directories_to_remove = {};  // removed afterwards if they are empty
};

// The objects that all functions of Changes need.
struct ChangesContext {
  const workspace::Root& root;
  const std::string& directory;  // of the history
  const ChangeOptions& options;
};

// The order makes every possible kill recoverable:
//   1. resolve and lock the paths, settle what dead processes left on them, read and compare the files;
//   2. create and lock an active mark (a kill releases the lock);
//   3. store the bytes that would be lost, then the record, and sync both;
//   4. change each file atomically, with temporary names that the record contains;
//   5. mark the record as committed and remove the active mark.
// A failure in step 4 rolls back the changed files and marks the record as rolled back.
[[nodiscard]] Expected<Committed> commit_set(const ChangesContext& context, const ChangeSet& set);

}  // namespace helve::changes
