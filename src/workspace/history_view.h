// Reads the log as a history: which change sets are in force, which were undone, what comes next.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/changes.h"
#include "workspace/history_log.h"

namespace helve {

// Owned by one thread; does not change after it was made.
class HistoryView {
 public:
  struct Change {
    const ChangeRecord* record = nullptr;
    ChangeState state = ChangeState::kApplied;
    bool redoable = false;
    std::size_t undone_at = 0;                // kUndone: the place in the log of the undo
    const ChangeRecord* undone_by = nullptr;  // and its record, which has the bytes to redo it
    const ChangeRecord* made_by = nullptr;    // the record that put it in force: its own, or a redo
  };

  explicit HistoryView(std::vector<LoggedRecord> records);
  HistoryView(const HistoryView&) = delete;
  HistoryView& operator=(const HistoryView&) = delete;

  // Oldest first; without undo and redo, which are told by the states.
  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }
  [[nodiscard]] const Change* find(std::string_view id) const;

  // The filter's path must be resolved. Null when there is none.
  [[nodiscard]] const Change* newest_applied(const ChangeFilter& filter) const;
  [[nodiscard]] const Change* last_undone(const ChangeFilter& filter) const;
  // A change set in force that came later and touches one of the same files; then that one must go first.
  [[nodiscard]] const Change* in_the_way_of_undo(const Change& change) const;
  // One that was undone later and touches one of the same files; then that one must come first.
  [[nodiscard]] const Change* in_the_way_of_redo(const Change& change) const;

  [[nodiscard]] std::size_t count_applied(const ChangeFilter& filter) const;
  [[nodiscard]] std::size_t count_redoable(const ChangeFilter& filter) const;

 private:
  std::vector<LoggedRecord> records_;
  std::vector<Change> changes_;
};

[[nodiscard]] bool fits(const ChangeRecord& record, const ChangeFilter& filter);
// A path that two change sets have in common; null when there is none.
[[nodiscard]] const std::string* common_path(const ChangeRecord& one, const ChangeRecord& other);

[[nodiscard]] HistoryEntry to_entry(const HistoryView::Change& change);
[[nodiscard]] HistoryFile to_history_file(const FileRecord& file);
// 2026-11-15T03:42:07.123Z
[[nodiscard]] std::string time_text(const ChangeRecord& record);

}  // namespace helve
