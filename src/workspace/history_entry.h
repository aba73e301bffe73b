// What the history tells about a change set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace helve {

enum class FileAction { kUnchanged, kCreated, kChanged, kRemoved, kMoved };

// "unchanged", "created", "changed", "removed", "moved"
[[nodiscard]] std::string_view to_string(FileAction action);

enum class ChangeState {
  kApplied,
  kUndone,
  kInterrupted,  // by a crash, and then somebody else changed its files: not to be undone, but to be looked
                 // at
  kUnderWay,     // in another thread or process
};

// "applied", "undone", "interrupted", "under way"
[[nodiscard]] std::string_view to_string(ChangeState state);

struct HistoryFile {
  FileAction action = FileAction::kChanged;
  std::string path;           // kMoved: where to
  std::string old_path = {};  // kMoved: where from
  std::uint64_t bytes_removed = 0;
  std::uint64_t bytes_added = 0;
  bool operator==(const HistoryFile&) const = default;
};

struct HistoryEntry {
  std::string change_id;
  std::string time;  // 2026-11-15T03:42:07.123Z
  std::string session;
  std::string call = {};
  std::string tool = {};
  std::vector<HistoryFile> files;
  ChangeState state = ChangeState::kApplied;
  bool redoable = false;          // undone, and none of its files was changed since
  std::string not_undoable = {};  // why not ("x.bin: too large to undo …"); empty when it can be
};

struct HistoryList {
  std::vector<HistoryEntry> entries;  // newest first
  std::size_t total = 0;              // that fit the filter, listed or not
  std::size_t applied = 0;
  std::size_t undone = 0;
  std::size_t redoable = 0;
  std::string next_redo = {};    // the change that redo would make again; empty when there is none
  std::uint64_t bytes_used = 0;  // by the whole history of this workspace
};

// One file of a change set. `before` and `after` are whole contents, or nothing where there was no file.
// When the whole is not known any more (a large file that was changed since), they hold only the changed
// parts, one after the other, and `partial` says so.
struct HistoryFileDiff {
  HistoryFile file;
  std::optional<std::string> before;
  std::optional<std::string> after;
  bool partial = false;
  bool left_out = false;  // not even the parts: too large, or no longer kept
};

struct HistoryDiff {
  HistoryEntry entry;
  std::vector<HistoryFileDiff> files;
};

}  // namespace helve
