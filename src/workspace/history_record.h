// One change set as the journal and the history keep it: enough to tell old from new, and to go back.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workspace/changes.h"
#include "workspace/history_fingerprint.h"
#include "workspace/splice.h"

namespace helve {

// Bytes that the history keeps: few of them in the record, many as a blob beside it.
struct KeptBytes {
  enum class Place : unsigned char { kNowhere, kHere, kBlob };
  Place place = Place::kNowhere;
  std::uint64_t size = 0;  // also of bytes that are kept nowhere
  std::string bytes = {};  // kHere: they themselves; kBlob: the blob's name
  bool operator==(const KeptBytes&) const = default;
};

// A file before and after. Which bytes stay is known by their fingerprint alone: they are on the disk.
struct FileRecord {
  FileChange::Kind kind = FileChange::Kind::kWrite;
  std::string path;           // resolved
  std::string new_path = {};  // kMove
  bool existed = false;       // kWrite: it replaced a file
  bool in_place = false;      // written without a rename, so a crash may have mixed old and new
  std::optional<mode_t> old_mode = {};
  std::optional<mode_t> new_mode = {};  // nothing: as the umask said, or removed
  Splice splice = {};
  Fingerprint kept_print = {};
  Fingerprint old_print = {};  // of the bytes that only the old content has
  Fingerprint new_print = {};
  KeptBytes old_bytes = {};  // those bytes
  KeptBytes new_bytes = {};  // those of the new content, or all of it:
  bool new_is_whole = false;
  bool undoable = true;        // false: the old bytes are only kept while the change is under way
  std::string temporary = {};  // the name beside the file that may be left after a kill

  [[nodiscard]] bool creates() const { return kind == FileChange::Kind::kWrite && !existed; }
  [[nodiscard]] bool has_old() const { return !creates(); }
  [[nodiscard]] bool has_new() const { return kind != FileChange::Kind::kRemove; }
  [[nodiscard]] const std::string& place(SpliceSide side) const {
    return kind == FileChange::Kind::kMove && side == SpliceSide::kNew ? new_path : path;
  }
  [[nodiscard]] FileAction action() const;
  bool operator==(const FileRecord&) const = default;
};

// kUndo and kRedo take back, or make again, the change set `subject`.
enum class RecordRole : unsigned char { kChange, kUndo, kRedo };

struct ChangeRecord {
  std::string id;
  RecordRole role = RecordRole::kChange;
  std::string subject = {};
  std::int64_t time_ms = 0;  // since 1970
  ChangeOrigin origin = {};
  std::vector<std::string> made_directories = {};    // missing before; outermost first
  std::vector<std::string> unmade_directories = {};  // to be removed where empty; outermost first
  std::vector<FileRecord> files = {};                // in the order in which they are changed

  [[nodiscard]] bool touches(std::string_view path) const;
  bool operator==(const ChangeRecord&) const = default;
};

enum class RecordState : unsigned char {
  kPending = 'P',
  kCommitted = 'C',
  kRolledBack = 'R',
  kKeptAside = 'K',
};

[[nodiscard]] std::string encode_record(const ChangeRecord& record);
// Nothing when the bytes are no record of this version.
[[nodiscard]] std::optional<ChangeRecord> decode_record(std::string_view bytes);
// The id alone, of bytes that may be no record; empty when it is clear that they are none.
[[nodiscard]] std::string_view peek_record_id(std::string_view bytes);

// True when the content, in pieces, is the file's old or new one.
[[nodiscard]] bool is_content(const FileRecord& file, SpliceSide side,
                              std::span<const std::string_view> content, const FingerprintKey& key);

}  // namespace helve
