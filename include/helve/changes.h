// The recorded changes of a session, for user interfaces. Models use the tools undo and history.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "helve/api.h"

namespace HELVE_API helve {

struct RecordedChange {
  struct File {
    std::string path;
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
