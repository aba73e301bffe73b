// The log file of journal and history: one record per change set, in order, each with its state.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "changes/history_fingerprint.h"
#include "changes/history_record.h"
#include "changes/history_view.h"
#include "helve/error.h"
#include "workspace/file_write.h"

namespace helve::changes {

// A record as found in the log.
struct LoggedRecord {
  ChangeRecord record;
  RecordState state = RecordState::kPending;
  std::uint64_t bytes = 0;  // in the log
};

struct LogUsage {
  std::uint64_t bytes = 0;  // of the log and all blobs; approximate after a crash
  std::uint64_t records = 0;
  std::int64_t oldest_ms = 0;
};

// Records are appended as pending under a lock (flock). The state is one byte that is changed in place, so
// that finishing a change set needs no disk space. Readers need no lock: they see every complete record and
// skip partial ones. rewrite() writes a new file that replaces the old one. The directory handle must outlive
// the log. Thread-safe.
class HistoryLog {
 public:
  enum class Missing { kCreate, kRefuse };  // kRefuse: NOT_FOUND

  [[nodiscard]] static Expected<HistoryLog> open(int directory, Missing missing,
                                                 workspace::Durability durability);
  // Deletes a damaged log.
  static void remove(int directory);

  [[nodiscard]] const FingerprintKey& key() const { return key_; }

  // The place of a record until the log is rewritten.
  struct Position {
    std::uint64_t generation = 0;
    off_t state = 0;
  };
  // Syncs as the durability asks. `added_bytes` is the size of the record's new blobs.
  [[nodiscard]] Expected<Position> append(const ChangeRecord& record, std::uint64_t added_bytes,
                                          workspace::Durability durability) const;
  [[nodiscard]] Expected<void> mark(const Position& position, std::string_view id, RecordState state) const;
  [[nodiscard]] Expected<void> mark(std::string_view id, RecordState state) const {
    return mark(Position{}, id, state);
  }

  [[nodiscard]] Expected<std::vector<LoggedRecord>> load() const;
  // The change sets that are running or were interrupted.
  [[nodiscard]] Expected<std::vector<ChangeRecord>> pending() const;
  // The history without the stored bytes, which make up most of a long log.
  [[nodiscard]] Expected<HistoryOutline> outline() const;
  // One record with its bytes.
  [[nodiscard]] Expected<std::optional<ChangeRecord>> find(std::string_view id) const;
  [[nodiscard]] Expected<LogUsage> usage() const;

  // Returns one flag per record: true to drop it. Pending records are always kept. The records are passed
  // without their inline bytes.
  using Choose = std::function<std::vector<bool>(const std::vector<LoggedRecord>& records)>;
  // Returns the dropped records. The caller must release their blobs.
  [[nodiscard]] Expected<std::vector<LoggedRecord>> rewrite(const Choose& choose,
                                                            workspace::Durability durability) const;

 private:
  HistoryLog(int directory, const FingerprintKey::Seed& seed) : directory_(directory), key_(seed) {}

  int directory_;
  FingerprintKey key_;
};

// Adds up the disk usage of records; a shared blob counts once.
class RecordSizes {
 public:
  void add(const LoggedRecord& logged);
  void remove(const LoggedRecord& logged);

  [[nodiscard]] std::uint64_t blob_bytes() const { return blob_bytes_; }
  [[nodiscard]] std::uint64_t bytes() const { return log_bytes_ + blob_bytes_; }

 private:
  std::uint64_t log_bytes_ = 0;
  std::uint64_t blob_bytes_ = 0;
  std::map<std::string, std::size_t, std::less<>> owners_;  // of each blob
};

}  // namespace helve::changes
