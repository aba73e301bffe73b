#include "changes/history_view.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <ranges>
#include <unordered_map>

#include "base/clock.h"
#include "base/strings.h"
#include "changes/changes_record.h"

namespace helve::changes {
FileOutline outline_of(const FileRecord& file) {
  return {.path = file.path,
          .new_path = file.new_path,
          .action = file.action(),
          .undoable = file.undoable,
          .removed_bytes = file.splice.changed_size(patch::SpliceSide::kOld),
          .added_bytes = file.splice.changed_size(patch::SpliceSide::kNew)};
}

bool RecordOutline::touches(std::string_view path) const {
  return std::ranges::any_of(
      files, [&](const FileOutline& file) { return file.path == path || file.new_path == path; });
}

std::string_view HistoryOutline::keep(std::string_view text) {
  if (text.empty()) return {};
  char* const place = static_cast<char*>(memory_->allocate(text.size(), 1));
  std::ranges::copy(text, place);
  return {place, text.size()};
}

std::string_view HistoryOutline::keep_once(std::string_view text) {
  if (const auto found = kept_.find(text); found != kept_.end()) return *found;
  return *kept_.insert(keep(text)).first;
}

void HistoryOutline::add(const ChangeRecord& record, RecordState state) {
  std::span<const FileOutline> files;
  if (const std::size_t count = record.files.size(); count > 0) {
    auto* const place =
        static_cast<FileOutline*>(memory_->allocate(count * sizeof(FileOutline), alignof(FileOutline)));
    for (std::size_t i = 0; i < count; ++i) {
      FileOutline outline = outline_of(record.files[i]);
      outline.path = keep_once(outline.path);
      outline.new_path = keep_once(outline.new_path);
      new (place + i) FileOutline(outline);
    }
    files = {place, count};
  }
  records_.push_back({.id = keep(record.id),
                      .role = record.role,
                      .state = state,
                      .time_ms = record.time_ms,
                      .subject = keep(record.subject),
                      .origin = {.session = keep_once(record.origin.session),
                                 .call = keep(record.origin.call),
                                 .tool = keep_once(record.origin.tool)},
                      .files = files,
                      .of_command = record.of_command,
                      .gap = keep(record.gap)});
}

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

namespace {

// The redoable changes by path.
class RedoableByPath {
 public:
  explicit RedoableByPath(std::vector<HistoryView::Change>& changes) : changes_(changes) {}

  void add(std::size_t place) {
    for_each_path(*changes_[place].record, [&](std::string_view path) { places_[path].push_back(place); });
  }
  // A new change ends redo for its files, even if it is undone itself.
  void end_for_files_of(const RecordOutline& record) {
    for_each_path(record, [&](std::string_view path) {
      const auto found = places_.find(path);
      if (found == places_.end()) return;
      for (const std::size_t place : found->second) changes_[place].redoable = false;
      places_.erase(found);
    });
  }

 private:
  template <class Use>
  static void for_each_path(const RecordOutline& record, const Use& use) {
    for (const FileOutline& file : record.files)
      for (const std::string_view path : {file.path, file.new_path})
        if (!path.empty()) use(path);
  }

  std::vector<HistoryView::Change>& changes_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> places_;
};

}  // namespace

HistoryView::HistoryView(HistoryOutline outline) : outline_(std::move(outline)) {
  std::unordered_map<std::string_view, std::size_t> places;
  RedoableByPath redoable(changes_);
  const std::vector<RecordOutline>& records = outline_.records();
  for (std::size_t i = 0; i < records.size(); ++i) {
    const RecordOutline& record = records[i];
    if (record.role == RecordRole::kChange) {
      if (record.state == RecordState::kRolledBack) continue;
      Change change{.record = &record, .made_by = &record, .made_at = i};
      if (record.state == RecordState::kPending) change.state = ChangeState::kUnderWay;
      if (record.state == RecordState::kKeptAside) change.state = ChangeState::kInterrupted;
      if (record.state != RecordState::kPending) redoable.end_for_files_of(record);
      places[record.id] = changes_.size();
      changes_.push_back(change);
      continue;
    }
    const auto place = places.find(record.subject);
    if (place == places.end() || record.state != RecordState::kCommitted) continue;
    Change& subject = changes_[place->second];
    if (record.role == RecordRole::kUndo) {
      subject.state = ChangeState::kUndone;
      subject.redoable = std::ranges::all_of(record.files, &FileOutline::undoable);
      subject.undone_at = i;
      subject.undone_by = &record;
      if (subject.redoable) redoable.add(place->second);
    } else {
      subject.state = ChangeState::kApplied;
      subject.redoable = false;
      subject.made_by = &record;
      subject.made_at = i;
    }
  }
}

const HistoryView::Change* HistoryView::find(std::string_view id) const {
  const auto found = std::ranges::find(changes_, id, [](const Change& change) { return change.record->id; });
  return found == changes_.end() ? nullptr : &*found;
}

const HistoryView::Change* HistoryView::newest_applied(const ChangeFilter& filter) const {
  for (const Change& change : changes_ | std::views::reverse)
    if (change.state == ChangeState::kApplied && matches(*change.record, filter)) return &change;
  return nullptr;
}

namespace {

// A session can redo what it undid itself, whichever session made the change.
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

const HistoryView::Change* HistoryView::blocker_of_undo(const Change& change) const {
  for (const Change& other : changes_ | std::views::reverse) {
    if (&other == &change) break;
    if (other.state == ChangeState::kApplied && !common_path(*other.record, *change.record).empty())
      return &other;
  }
  return nullptr;
}

const HistoryView::Change* HistoryView::blocker_of_redo(const Change& change) const {
  for (const Change& other : changes_)
    if (other.redoable && other.undone_at > change.undone_at &&
        !common_path(*other.record, *change.record).empty())
      return &other;
  return nullptr;
}

const DamagedRecord* HistoryView::damage_after(const Change& change, std::size_t place,
                                               const ChangeFilter& filter) const {
  for (const DamagedRecord& damaged : outline_.damaged() | std::views::reverse) {
    if (damaged.follows <= place) break;
    const bool may_touch = std::ranges::any_of(
        damaged.paths, [&](const std::string& path) { return change.record->touches(path); });
    if (!filter.path || !damaged.is_readable() || may_touch) return &damaged;
  }
  return nullptr;
}

std::size_t HistoryView::count_applied(const ChangeFilter& filter) const {
  return static_cast<std::size_t>(std::ranges::count_if(changes_, [&](const Change& change) {
    return change.state == ChangeState::kApplied && matches(*change.record, filter);
  }));
}

std::size_t HistoryView::count_redoable(const ChangeFilter& filter) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(changes_, [&](const Change& change) { return can_redo(change, filter); }));
}

std::string_view common_path(const RecordOutline& one, const RecordOutline& other) {
  for (const FileOutline& file : one.files)
    for (const std::string_view path : {file.path, file.new_path})
      if (!path.empty() && other.touches(path)) return path;
  return {};
}

HistoryFile to_history_file(const FileOutline& file) {
  const bool is_moved = file.action == FileAction::kMoved;
  return {file.action, std::string(file.place_now()), is_moved ? std::string(file.path) : std::string(),
          file.removed_bytes, file.added_bytes};
}

std::string time_text(const RecordOutline& record) {
  return utc_timestamp(std::chrono::system_clock::time_point(std::chrono::milliseconds(record.time_ms)));
}

HistoryEntry to_entry(const HistoryView::Change& change) {
  const RecordOutline& record = *change.record;
  HistoryEntry entry;
  entry.change_id = record.id;
  entry.time = time_text(record);
  entry.session = record.origin.session;
  entry.call = record.origin.call;
  entry.tool = record.origin.tool;
  for (const FileOutline& file : record.files) {
    entry.files.push_back(to_history_file(file));
    if (!file.undoable)
      entry.not_undoable += concat(entry.not_undoable.empty() ? "" : "; ", not_undoable_text(file));
  }
  if (!record.gap.empty()) entry.not_undoable = record.gap;
  entry.state = change.state;
  entry.redoable = change.redoable;
  return entry;
}

}  // namespace helve::changes
