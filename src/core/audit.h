// The record of all calls: one JSON line before a call runs and one after, each chained to the line before.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file_io.h"
#include "core/audit_head.h"
#include "helve/error.h"

namespace helve::core {

// Appends to one file that several processes may share; a lock keeps their lines whole and the chain
// unbroken. Every line ends in "prev" (the hash of the line before) and "hash" (SHA-256 of the line up to
// there). May be used from all threads.
//
// Read-only calls can come by the thousand per second. Their records are then written in batches by the
// audit's own thread, a few milliseconds later, in order, and before any record that must not wait. Killing
// the process loses at most those milliseconds of read records.
class Audit {
 public:
  struct Options {
    std::string path;
    bool sync = false;
    // Limit for all files together: a full file is kept under a number (core/audit_parts.h), and the oldest
    // is removed. 0: one file without a limit.
    std::uint64_t keep_bytes = 0;
  };
  explicit Audit(Options options) : options_(std::move(options)) {}
  ~Audit();
  Audit(const Audit&) = delete;
  Audit& operator=(const Audit&) = delete;

  // `record` is the text of a non-empty JSON object without secrets; "time", "prev" and "hash" are added.
  // When this returns, the record is in the file.
  [[nodiscard]] Expected<void> append(std::string_view record);
  // The same for a record that may be written a little later. A failure may come from an earlier record.
  [[nodiscard]] Expected<void> append_soon(std::string_view record);

 private:
  using Clock = std::chrono::steady_clock;

  // Records in one reusable buffer.
  class Batch {
   public:
    struct Record {
      std::chrono::system_clock::time_point time;
      std::string_view text;
    };
    void add(std::string_view record);
    void clear();
    [[nodiscard]] std::size_t size() const { return marks_.size(); }
    [[nodiscard]] Record operator[](std::size_t index) const;

   private:
    struct Mark {
      std::chrono::system_clock::time_point time;
      std::size_t end;
    };
    std::string texts_;
    std::vector<Mark> marks_;
  };

  [[nodiscard]] Expected<void> open();
  [[nodiscard]] Expected<void> read_last_hash(std::int64_t size);
  // Writes the waiting records, then this one if it is not empty.
  [[nodiscard]] Expected<void> write_with(std::string_view record);
  [[nodiscard]] Expected<void> write();
  void begin_next_file();
  [[nodiscard]] bool has_writer();  // holds mutex_
  [[nodiscard]] bool is_crowded();
  void write_in_turn(const std::stop_token& stop);

  const Options options_;

  std::mutex file_mutex_;  // guards the members up to the next mutex; locked before it
  UniqueFd file_;
  std::int64_t known_size_ = -1;  // of the file when last_hash_ was its last hash
  std::string last_hash_;
  std::int64_t full_size_ = 0;  // size at which the next file begins; 0: not decided yet
  enum class End { kWhole, kTorn, kNoLineBreak } end_ = End::kWhole;  // how the file ends
  Batch writing_;
  std::string lines_;
  AuditHeadWriter head_;
  std::string lost_;  // the hash of a record that should be there and is not

  std::mutex mutex_;
  Batch waiting_;
  Clock::time_point last_append_;
  int in_a_row_ = 0;  // records that came in quick succession
  Expected<void> last_failure_;
  std::condition_variable_any came_;
  std::jthread writer_;  // last, so that it ends before the members it uses
};

struct AuditReport {
  std::size_t records = 0;
  std::size_t torn_lines = 0;  // cut by a crash, and marked as such by the record after them
  std::string last_hash;       // worth keeping elsewhere: it covers the whole record
  std::size_t files = 0;
  bool has_head = false;      // the newest record that Helve wrote is there
  std::string lost_in_crash;  // the hash of the newest record, if it is missing since the machine restarted
  bool begins_later = false;  // the first file continues one that was removed
};

// Checks the current file and the older ones beside it. CONFLICT names the first line that was altered, or
// what was removed or replaced. NOT_FOUND when there is no audit.
// `on_progress` is called now and then with the number of records so far.
[[nodiscard]] Expected<AuditReport> verify_audit(
    const std::string& path, const std::function<void(std::size_t records)>& on_progress = {});

}  // namespace helve::core
