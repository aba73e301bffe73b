// Reads the log as a history: which change sets are in force, which were undone, what comes next.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/changes.h"
#include "workspace/history_outline.h"

namespace helve {

// Owned by one thread; does not change after it was made.
class HistoryView {
 public:
  struct Change {
    const RecordOutline* record = nullptr;
    ChangeState state = ChangeState::kApplied;
    bool redoable = false;
    std::size_t undone_at = 0;                 // kUndone: the place in the log of the undo
    const RecordOutline* undone_by = nullptr;  // and its record, which has the bytes to redo it
    const RecordOutline* made_by = nullptr;    // the record that put it in force: its own, or a redo
  };

  explicit HistoryView(HistoryOutline outline);
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
  HistoryOutline outline_;
  std::vector<Change> changes_;
};

// For a ChangeRecord or its outline.
template <class Record>
[[nodiscard]] bool fits(const Record& record, const ChangeFilter& filter) {
  return (!filter.session || record.origin.session == *filter.session) &&
         (!filter.path || record.touches(*filter.path));
}
// A path that two change sets have in common; empty when there is none.
[[nodiscard]] std::string_view common_path(const RecordOutline& one, const RecordOutline& other);

[[nodiscard]] HistoryEntry to_entry(const HistoryView::Change& change);
[[nodiscard]] HistoryFile to_history_file(const FileOutline& file);
// 2026-11-15T03:42:07.123Z
[[nodiscard]] std::string time_text(const RecordOutline& record);

}  // namespace helve
