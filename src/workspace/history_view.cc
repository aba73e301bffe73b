#include "workspace/history_view.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <ranges>

#include "base/clock.h"
#include "workspace/changes_record.h"

namespace helve {

std::string_view to_string(FileAction action) {
  switch (action) {
    case FileAction::kUnchanged: return "unchanged";
    case FileAction::kCreated: return "created";
    case FileAction::kChanged: return "changed";
    case FileAction::kRemoved: return "removed";
    case FileAction::kMoved: return "moved";
  }
  return "unchanged";
}

std::string_view to_string(ChangeState state) {
  switch (state) {
    case ChangeState::kApplied: return "applied";
    case ChangeState::kUndone: return "undone";
    case ChangeState::kInterrupted: return "interrupted";
    case ChangeState::kUnderWay: return "under way";
  }
  return "applied";
}

HistoryView::HistoryView(std::vector<LoggedRecord> records) : records_(std::move(records)) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const ChangeRecord& record = records_[i].record;
    const RecordState state = records_[i].state;
    if (record.role == RecordRole::kChange) {
      if (state == RecordState::kRolledBack) continue;
      Change change{.record = &record, .made_by = &record};
      if (state == RecordState::kPending) change.state = ChangeState::kUnderWay;
      if (state == RecordState::kKeptAside) change.state = ChangeState::kInterrupted;
      // A new change ends redo for its files, also should it be undone itself.
      for (Change& other : changes_)
        if (state != RecordState::kPending && other.redoable && common_path(*other.record, record) != nullptr)
          other.redoable = false;
      places[record.id] = changes_.size();
      changes_.push_back(change);
      continue;
    }
    const auto place = places.find(record.subject);
    if (place == places.end() || state != RecordState::kCommitted) continue;
    Change& subject = changes_[place->second];
    if (record.role == RecordRole::kUndo) {
      subject.state = ChangeState::kUndone;
      subject.redoable = std::ranges::all_of(record.files, &FileRecord::undoable);
      subject.undone_at = i;
      subject.undone_by = &record;
    } else {
      subject.state = ChangeState::kApplied;
      subject.redoable = false;
      subject.made_by = &record;
    }
  }
}

const HistoryView::Change* HistoryView::find(std::string_view id) const {
  const auto found = std::ranges::find(changes_, id, [](const Change& change) { return change.record->id; });
  return found == changes_.end() ? nullptr : &*found;
}

const HistoryView::Change* HistoryView::newest_applied(const ChangeFilter& filter) const {
  for (const Change& change : changes_ | std::views::reverse)
    if (change.state == ChangeState::kApplied && fits(*change.record, filter)) return &change;
  return nullptr;
}

namespace {

// A session makes again what it took back itself, whoever had made it.
bool can_redo(const HistoryView::Change& change, const ChangeFilter& filter) {
  return change.redoable && (!filter.session || change.undone_by->origin.session == *filter.session) &&
         (!filter.path || change.record->touches(*filter.path));
}

}  // namespace

const HistoryView::Change* HistoryView::last_undone(const ChangeFilter& filter) const {
  const Change* last = nullptr;
  for (const Change& change : changes_)
    if (can_redo(change, filter) && (last == nullptr || change.undone_at > last->undone_at)) last = &change;
  return last;
}

const HistoryView::Change* HistoryView::in_the_way_of_undo(const Change& change) const {
  for (const Change& other : changes_ | std::views::reverse) {
    if (&other == &change) break;
    if (other.state == ChangeState::kApplied && common_path(*other.record, *change.record) != nullptr)
      return &other;
  }
  return nullptr;
}

const HistoryView::Change* HistoryView::in_the_way_of_redo(const Change& change) const {
  for (const Change& other : changes_)
    if (other.redoable && other.undone_at > change.undone_at &&
        common_path(*other.record, *change.record) != nullptr)
      return &other;
  return nullptr;
}

std::size_t HistoryView::count_applied(const ChangeFilter& filter) const {
  return static_cast<std::size_t>(std::ranges::count_if(changes_, [&](const Change& change) {
    return change.state == ChangeState::kApplied && fits(*change.record, filter);
  }));
}

std::size_t HistoryView::count_redoable(const ChangeFilter& filter) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(changes_, [&](const Change& change) { return can_redo(change, filter); }));
}

bool fits(const ChangeRecord& record, const ChangeFilter& filter) {
  return (!filter.session || record.origin.session == *filter.session) &&
         (!filter.path || record.touches(*filter.path));
}

const std::string* common_path(const ChangeRecord& one, const ChangeRecord& other) {
  for (const FileRecord& file : one.files)
    for (const std::string* path : {&file.path, &file.new_path})
      if (!path->empty() && other.touches(*path)) return path;
  return nullptr;
}

HistoryFile to_history_file(const FileRecord& file) {
  const bool is_moved = file.kind == FileChange::Kind::kMove;
  return {file.action(), file.place(SpliceSide::kNew), is_moved ? file.path : std::string(),
          file.splice.changed_size(SpliceSide::kOld), file.splice.changed_size(SpliceSide::kNew)};
}

std::string time_text(const ChangeRecord& record) {
  return utc_timestamp(std::chrono::system_clock::time_point(std::chrono::milliseconds(record.time_ms)));
}

HistoryEntry to_entry(const HistoryView::Change& change) {
  const ChangeRecord& record = *change.record;
  HistoryEntry entry;
  entry.change_id = record.id;
  entry.time = time_text(record);
  entry.session = record.origin.session;
  entry.call = record.origin.call;
  entry.tool = record.origin.tool;
  for (const FileRecord& file : record.files) entry.files.push_back(to_history_file(file));
  entry.state = change.state;
  entry.redoable = change.redoable;
  entry.not_undoable = not_undoable_text(record);
  return entry;
}

}  // namespace helve
