// The directory in which the journal and the history of one workspace lie, opened.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/file_io.h"
#include "helve/error.h"
#include "workspace/blob_store.h"
#include "workspace/history_log.h"
#include "workspace/history_record.h"

namespace helve {

//   log      all change sets, see history_log.h
//   blobs/   the bytes that do not fit into the log, see blob_store.h
//   active/  a file for each change set under way, see journal_locks.h
//   locks    one byte for each path under way
//   boot     the kernel's boot id when recovery last looked at everything
// Owned by one thread; each call opens its own, which costs a few system calls.
class HistoryStore {
 public:
  // kRefuse: NOT_FOUND where there is no history yet.
  [[nodiscard]] static Expected<HistoryStore> open(const std::string& path, HistoryLog::Missing missing,
                                                   Durability durability);
  // Forgets everything, also a history that cannot be opened.
  static void destroy(const std::string& path);

  [[nodiscard]] int directory() const { return directory_.get(); }
  [[nodiscard]] int active_directory() const { return active_.get(); }
  [[nodiscard]] const HistoryLog& log() const { return log_; }
  [[nodiscard]] BlobStore blobs() const { return BlobStore(blobs_.get()); }

  // Puts bytes into a record: small ones there, others beside it. Adds what that takes on the disk, beside
  // the record, to `added_bytes`.
  [[nodiscard]] Expected<KeptBytes> keep(std::span<const std::string_view> bytes, std::string_view change_id,
                                         BlobStore::Need need, Durability durability,
                                         std::uint64_t& added_bytes) const;
  [[nodiscard]] Expected<std::string> fetch(const KeptBytes& kept, std::string_view change_id) const;
  // Drops the blobs of a record that is no more.
  void release(const ChangeRecord& record) const;
  // Drops those that were only kept while the change set was under way.
  void release_passing(const ChangeRecord& record) const;

  // Removes files without an owner that a kill left here.
  void remove_temporaries() const;

  // False after a restart of the machine: then a power loss may have hidden what was under way.
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

}  // namespace helve
