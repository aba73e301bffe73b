// Carries one change set through: recorded before it begins, made, and marked as made.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "helve/error.h"
#include "workspace/changes.h"
#include "workspace/history_record.h"
#include "workspace/root.h"

namespace helve {

struct ChangeSet {
  ChangeOrigin origin;
  std::span<const FileChange> changes;
  RecordRole role = RecordRole::kChange;
  std::string subject = {};                          // kUndo, kRedo: the change set that it is about
  std::vector<std::string> unmade_directories = {};  // to be removed afterwards where they are empty
};

// What all functions of Changes work with.
struct ChangesContext {
  const Root& root;
  const std::string& directory;  // of the history
  const ChangeOptions& options;
};

// In this order, so that a kill at any instant leaves something that recovery can tell:
//   1. paths are resolved and locked, files read and compared;
//   2. a mark that the change set is under way is made, which a kill unlocks;
//   3. the bytes that would be lost are stored, then the record; both are safe before
//   4. the files are changed, each in one step, under names that the record knows;
//   5. the record is marked as made, and the mark of 2 removed.
// A failure in 4 takes back what was changed and marks the record as rolled back.
[[nodiscard]] Expected<Committed> commit_set(const ChangesContext& context, const ChangeSet& set);

}  // namespace helve
