// The history without its stored bytes: which change sets are applied or undone, and what comes next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "changes/changes.h"
#include "changes/history_damage.h"
#include "changes/history_record.h"
#include "helve/error.h"

namespace helve::changes {

struct FileOutline {
  std::string_view path;      // resolved
  std::string_view new_path;  // of a move
  FileAction action = FileAction::kUnchanged;
  bool undoable = true;
  std::uint64_t removed_bytes = 0;  // only in the old content
  std::uint64_t added_bytes = 0;    // only in the new content

  [[nodiscard]] std::string_view place_now() const { return action == FileAction::kMoved ? new_path : path; }
};
// The record must outlive the result.
[[nodiscard]] FileOutline outline_of(const FileRecord& file);

struct RecordOutline {
  std::string_view id;
  RecordRole role = RecordRole::kChange;
  RecordState state = RecordState::kPending;
  std::int64_t time_ms = 0;  // since 1970
  std::string_view subject;
  struct Origin {
    std::string_view session;
    std::string_view call;
    std::string_view tool;
  } origin;
  std::span<const FileOutline> files;
  bool of_command = false;
  std::string_view gap;  // why a command's change cannot be undone

  [[nodiscard]] bool touches(std::string_view path) const;
};

// All records in little memory, because one undo reads thousands of them. Owned by one thread. Returned views
// stay valid for its lifetime, also after a move.
class HistoryOutline {
 public:
  HistoryOutline() : memory_(std::make_unique<std::pmr::monotonic_buffer_resource>()) {}

  void add(const ChangeRecord& record, RecordState state);
  [[nodiscard]] const std::vector<RecordOutline>& records() const { return records_; }
  void set_damaged(std::vector<DamagedRecord> damaged) { damaged_ = std::move(damaged); }
  [[nodiscard]] const std::vector<DamagedRecord>& damaged() const { return damaged_; }

 private:
  [[nodiscard]] std::string_view keep(std::string_view text);
  // For text that is the same in many records.
  [[nodiscard]] std::string_view keep_once(std::string_view text);

  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory_;
  std::unordered_set<std::string_view> kept_;
  std::vector<RecordOutline> records_;
  std::vector<DamagedRecord> damaged_;
};

// The log interpreted as a history. Owned by one thread; immutable.
class HistoryView {
 public:
  struct Change {
    const RecordOutline* record = nullptr;
    ChangeState state = ChangeState::kApplied;
    bool redoable = false;
    std::size_t undone_at = 0;                 // kUndone: index of the undo in the log
    const RecordOutline* undone_by = nullptr;  // kUndone: the undo record, which has the bytes to redo it
    const RecordOutline* made_by = nullptr;    // the record that applied it last: its own, or a redo
    std::size_t made_at = 0;                   // index of made_by in the log
  };

  explicit HistoryView(HistoryOutline outline);
  HistoryView(const HistoryView&) = delete;
  HistoryView& operator=(const HistoryView&) = delete;

  // Oldest first. Undo and redo records are not listed; they are reflected in the states.
  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }
  [[nodiscard]] const Change* find(std::string_view id) const;

  // The filter's path must be resolved. nullptr when there is none.
  [[nodiscard]] const Change* newest_applied(const ChangeFilter& filter) const;
  [[nodiscard]] const Change* last_undone(const ChangeFilter& filter) const;
  // A later applied change set that touches one of the same files and must be undone first.
  [[nodiscard]] const Change* blocker_of_undo(const Change& change) const;
  // A change set that was undone later, touches one of the same files and must be redone first.
  [[nodiscard]] const Change* blocker_of_redo(const Change& change) const;

  [[nodiscard]] const std::vector<DamagedRecord>& damaged() const { return outline_.damaged(); }
  // A damaged record after `place` in the log that may be a change of the same files, or, without a path in
  // the filter, the change that is meant. nullptr when there is none.
  [[nodiscard]] const DamagedRecord* damage_after(const Change& change, std::size_t place,
                                                  const ChangeFilter& filter) const;

  [[nodiscard]] std::size_t count_applied(const ChangeFilter& filter) const;
  [[nodiscard]] std::size_t count_redoable(const ChangeFilter& filter) const;

 private:
  HistoryOutline outline_;
  std::vector<Change> changes_;
};

// For a ChangeRecord or its outline.
template <class Record>
[[nodiscard]] bool matches(const Record& record, const ChangeFilter& filter) {
  return (!filter.session || record.origin.session == *filter.session) &&
         (!filter.path || record.touches(*filter.path));
}
// A path that both change sets touch; empty when there is none.
[[nodiscard]] std::string_view common_path(const RecordOutline& one, const RecordOutline& other);

[[nodiscard]] HistoryEntry to_entry(const HistoryView::Change& change);
[[nodiscard]] HistoryFile to_history_file(const FileOutline& file);
// 2026-11-15T03:42:07.123Z
[[nodiscard]] std::string time_text(const RecordOutline& record);

}  // namespace helve::changes
