// The record of all calls: one JSON line before a call runs and one after, each chained to the line before.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "base/file_io.h"
#include "helve/error.h"
#include "helve/json.h"

namespace helve {

// Appends to one file that several processes may share; a lock keeps their lines whole and the chain
// unbroken. Every line ends in "prev" (the hash of the line before) and "hash" (SHA-256 of the line up to
// there). May be used from all threads.
class Audit {
 public:
  struct Options {
    std::string path;
    bool sync = false;
  };
  explicit Audit(Options options) : options_(std::move(options)) {}

  // "time", "prev" and "hash" are added. Values must be free of secrets.
  [[nodiscard]] Expected<void> append(JsonObject record);

 private:
  [[nodiscard]] Expected<void> open();
  [[nodiscard]] Expected<void> read_last_hash(std::int64_t size);

  const Options options_;
  std::mutex mutex_;
  UniqueFd file_;
  std::int64_t known_size_ = -1;  // of the file when last_hash_ was its last hash
  std::string last_hash_;
  enum class End { kWhole, kTorn, kNoLineBreak } end_ = End::kWhole;  // how the file ends
};

struct AuditReport {
  std::size_t records = 0;
  std::size_t torn_lines = 0;  // cut by a crash, and marked as such by the record after them
  std::string last_hash;       // worth keeping elsewhere: it stands for the whole file
};

// CONFLICT names the first line that is not what was written.
[[nodiscard]] Expected<AuditReport> verify_audit(const std::string& path);

}  // namespace helve
