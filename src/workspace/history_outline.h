// The history without the bytes that it keeps, in little memory: one undo looks through thousands of change
// sets.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "workspace/changes.h"
#include "workspace/history_record.h"

namespace helve {

struct FileOutline {
  std::string_view path;      // resolved
  std::string_view new_path;  // of a move
  FileAction action = FileAction::kUnchanged;
  bool undoable = true;
  std::uint64_t removed_bytes = 0;  // that only the old content has
  std::uint64_t added_bytes = 0;    // that only the new one has

  [[nodiscard]] std::string_view place_now() const { return action == FileAction::kMoved ? new_path : path; }
};
// Of a record that outlives it.
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

  [[nodiscard]] bool touches(std::string_view path) const;
};

// Owned by one thread. What it says of a record is good as long as it lives, also after a move.
class HistoryOutline {
 public:
  HistoryOutline() : memory_(std::make_unique<std::pmr::monotonic_buffer_resource>()) {}

  void add(const ChangeRecord& record, RecordState state);
  [[nodiscard]] const std::vector<RecordOutline>& records() const { return records_; }

 private:
  [[nodiscard]] std::string_view keep(std::string_view text);
  // For what is the same in many records.
  [[nodiscard]] std::string_view keep_once(std::string_view text);

  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory_;
  std::unordered_set<std::string_view> kept_;
  std::vector<RecordOutline> records_;
};

}  // namespace helve
