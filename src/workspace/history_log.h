// The file that journal and history are written to: one record per change set, in order, each with its state.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/durability.h"
#include "workspace/history_fingerprint.h"
#include "workspace/history_outline.h"
#include "workspace/history_record.h"

namespace helve {

// A record as it was found in the log.
struct LoggedRecord {
  ChangeRecord record;
  RecordState state = RecordState::kPending;
  std::uint64_t bytes = 0;  // in the log
};

struct LogUsage {
  std::uint64_t bytes = 0;  // of the log and, nearly, of all blobs: a crash may leave it a little off
  std::uint64_t records = 0;
  std::int64_t oldest_ms = 0;
};

// A record is appended as pending, under a lock (flock) that processes and threads alike wait for; its state
// is one byte that is changed in place, so that ending a change set needs no space on the disk. A reader
// needs no lock: it sees every whole record, and skips what a kill left of one. The log is rewritten only by
// rewrite(), into a new file that takes the old one's name. The directory's handle must outlive it; may be
// used from all threads at once.
class HistoryLog {
 public:
  enum class Missing { kCreate, kRefuse };  // kRefuse: NOT_FOUND

  [[nodiscard]] static Expected<HistoryLog> open(int directory, Missing missing, Durability durability);
  // Takes a damaged log out of the way.
  static void remove(int directory);

  [[nodiscard]] const FingerprintKey& key() const { return key_; }

  // Where a record is, as long as the log is not rewritten.
  struct Position {
    std::uint64_t generation = 0;
    off_t state = 0;
  };
  // After this the disk has it, as far as the durability asks. `added_bytes` are in blobs of its own.
  [[nodiscard]] Expected<Position> append(const ChangeRecord& record, std::uint64_t added_bytes,
                                          Durability durability) const;
  [[nodiscard]] Expected<void> mark(const Position& position, std::string_view id, RecordState state) const;
  [[nodiscard]] Expected<void> mark(std::string_view id, RecordState state) const {
    return mark(Position{}, id, state);
  }

  [[nodiscard]] Expected<std::vector<LoggedRecord>> load() const;
  // What may be undone can be told without the bytes, of which a long history is mostly made.
  [[nodiscard]] Expected<HistoryOutline> outline() const;
  // One record, whole.
  [[nodiscard]] Expected<std::optional<ChangeRecord>> find(std::string_view id) const;
  [[nodiscard]] Expected<LogUsage> usage() const;

  // Which of all records to drop; one flag for each. Pending ones stay whatever it says. They come without
  // the bytes that lie in the records themselves.
  using Choose = std::function<std::vector<bool>(const std::vector<LoggedRecord>& records)>;
  // Returns those that were dropped. Their blobs are the caller's to release.
  [[nodiscard]] Expected<std::vector<LoggedRecord>> rewrite(const Choose& choose,
                                                            Durability durability) const;

 private:
  HistoryLog(int directory, const FingerprintKey::Seed& seed) : directory_(directory), key_(seed) {}

  int directory_;
  FingerprintKey key_;
};

// Adds up what records take on the disk; a blob that several have counts once.
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

}  // namespace helve
