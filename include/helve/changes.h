// The recorded changes of a session, for user interfaces: what Runtime::changes(), undo() and redo() return.
// Models use the tools undo and history instead.
//
//   #include <helve/runtime.h>
//   #include <iostream>
//   void undo_last(helve::Runtime& runtime) {
//     const auto history = runtime.changes(runtime.default_session());
//     if (!history || history->undoable == 0) return;
//     for (const helve::RecordedChange::File& file : history->changes.front().files)
//       std::cout << file.action << " " << file.path << "\n";
//     const auto undone = runtime.undo(runtime.default_session(), 1);
//     if (!undone) std::cout << undone.error().message << "\n";  // CONFLICT: a file changed since
//   }
//
// All of them are values: they own what they hold, and later changes do not alter them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "helve/api.h"

namespace HELVE_API helve {

// One change: everything that one call changed together. Undo and redo take it as a whole.
struct RecordedChange {
  struct File {
    std::string path;           // relative to the workspace
    std::string action;         // "created", "changed", "removed" or "moved"
    std::string old_path = {};  // of a moved file
  };
  std::string id;
  std::string time;   // 2026-11-15T03:42:07.123Z
  std::string tool;   // that made the change
  std::string state;  // "applied", "undone", "interrupted" or "under way"
  std::vector<File> files;
  std::string not_undoable = {};  // why it cannot be undone; empty if it can
};

// The changes of a session, and how many of them undo and redo can take from here.
struct ChangeHistory {
  std::vector<RecordedChange> changes;  // newest first
  std::size_t undoable = 0;
  std::size_t redoable = 0;
};

// The result of an undo or redo.
struct UndoOutcome {
  struct Step {
    RecordedChange change;  // `files` says what the step did: undoing a creation has removed the file
    std::string diff;       // of all its files, bounded
    std::string not_redoable = {};
  };
  std::vector<Step> steps;   // in the order in which they were done; at least one
  std::string stopped = {};  // why fewer steps than asked for were done
};

}  // namespace helve
