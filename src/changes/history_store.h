// The directory that stores the journal and history of one workspace.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/file_io.h"
#include "changes/blob_store.h"
#include "changes/changes.h"
#include "changes/history_log.h"
#include "changes/history_record.h"
#include "helve/error.h"

namespace helve::changes {

//   log      all change sets, see history_log.h
//   blobs/   bytes too large for the log, see blob_store.h
//   active/  a file for each running change set, see journal_locks.h
//   locks    one byte per path that is being changed
//   boot     the kernel's boot id at the last full recovery
// Owned by one thread; each call opens its own, which costs a few system calls.
class HistoryStore {
 public:
  // kRefuse: NOT_FOUND when there is no history yet.
  [[nodiscard]] static Expected<HistoryStore> open(const std::string& path, HistoryLog::Missing missing,
                                                   workspace::Durability durability);
  // Deletes the history, even if it cannot be opened.
  static void destroy(const std::string& path);

  [[nodiscard]] int directory() const { return directory_.get(); }
  [[nodiscard]] int active_directory() const { return active_.get(); }
  [[nodiscard]] const HistoryLog& log() const { return log_; }
  [[nodiscard]] BlobStore blobs() const { return BlobStore(blobs_.get()); }

  // Stores bytes inline if they are few, otherwise in a blob. Adds the size of a new blob to `added_bytes`.
  [[nodiscard]] Expected<KeptBytes> keep(std::span<const std::string_view> bytes, std::string_view change_id,
                                         BlobStore::Need need, workspace::Durability durability,
                                         std::uint64_t& added_bytes) const;
  [[nodiscard]] Expected<std::string> fetch(const KeptBytes& kept, std::string_view change_id) const;
  // Releases the blobs of a dropped record.
  void release(const ChangeRecord& record) const;
  // Releases blobs that were only needed while the change set was running.
  void release_temporary(const ChangeRecord& record) const;

  // Removes temporary files that a killed process left.
  void remove_temporaries() const;

  // False after a reboot: a power loss may have removed active marks.
  [[nodiscard]] bool is_same_boot() const;
  void note_boot() const;

 private:
  HistoryStore(UniqueFd directory, UniqueFd blobs, UniqueFd active, const HistoryLog& log)
      : directory_(std::move(directory)), blobs_(std::move(blobs)), active_(std::move(active)), log_(log) {}

  UniqueFd directory_;
  UniqueFd blobs_;
  UniqueFd active_;
  HistoryLog log_;
};

// STATE/history/ID for a workspace.
[[nodiscard]] std::string history_path(std::string_view state_directory, std::string_view workspace);

// Drops change sets older than max_age. Above max_bytes or max_changes, drops the oldest until nine tenths of
// the limits are left. Undo and redo records are dropped with their change set. Errors are ignored: the next
// change tries again.
void prune_history(const HistoryStore& store, const ChangeOptions& options);

// Drops the chosen records and their undo and redo records. The report includes the freed bytes.
[[nodiscard]] Expected<ClearReport> drop_records(const HistoryStore& store,
                                                 const std::function<bool(const LoggedRecord&)>& is_unwanted,
                                                 workspace::Durability durability);

}  // namespace helve::changes
