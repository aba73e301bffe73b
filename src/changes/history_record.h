// One change set as journal and history store it, with everything needed to recognize and restore old
// content.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "changes/changes.h"
#include "changes/history_fingerprint.h"
#include "patch/splice.h"

namespace helve::changes {

// Stored bytes: inline in the record if few, otherwise in a blob.
struct KeptBytes {
  enum class Place : unsigned char { kNotKept, kInline, kBlob };
  Place place = Place::kNotKept;
  std::uint64_t size = 0;  // also for kNotKept
  std::string bytes = {};  // kInline: the bytes; kBlob: the blob's name
  bool operator==(const KeptBytes&) const = default;
};

// A file before and after. Of the unchanged bytes only the fingerprint is stored: the bytes are on disk.
struct FileRecord {
  FileChange::Kind kind = FileChange::Kind::kWrite;
  std::string path;           // resolved
  std::string new_path = {};  // kMove
  bool existed = false;       // kWrite: it replaced a file
  bool in_place = false;      // overwritten without a rename, so a crash may leave a mixture
  std::optional<mode_t> old_mode = {};
  std::optional<mode_t> new_mode = {};  // nullopt: by the umask, or removed
  patch::Splice splice = {};
  Fingerprint kept_print = {};
  Fingerprint old_print = {};  // of the bytes only in the old content
  Fingerprint new_print = {};
  KeptBytes old_bytes = {};  // the bytes of old_print
  KeptBytes new_bytes = {};  // the bytes of new_print, or the whole new content
  bool new_is_whole = false;
  bool undoable = true;        // false: the old bytes are only kept while the change is running
  std::string temporary = {};  // temporary file in the same directory; a kill may leave it

  [[nodiscard]] bool creates() const { return kind == FileChange::Kind::kWrite && !existed; }
  [[nodiscard]] bool has_old() const { return !creates(); }
  [[nodiscard]] bool has_new() const { return kind != FileChange::Kind::kRemove; }
  [[nodiscard]] const std::string& place(patch::SpliceSide side) const {
    return kind == FileChange::Kind::kMove && side == patch::SpliceSide::kNew ? new_path : path;
  }
  [[nodiscard]] FileAction action() const;
  bool operator==(const FileRecord&) const = default;
};

// kUndo and kRedo undo or redo the change set `subject`.
enum class RecordRole : unsigned char { kChange, kUndo, kRedo };

struct ChangeRecord {
  std::string id;
  RecordRole role = RecordRole::kChange;
  std::string subject = {};
  std::int64_t time_ms = 0;  // since 1970
  ChangeOrigin origin = {};
  std::vector<std::string> created_directories = {};    // outermost first
  std::vector<std::string> directories_to_remove = {};  // removed if empty; outermost first
  std::vector<FileRecord> files = {};                   // in the order of the changes
  // Made by a command: the files are only listed here, and command_store.h has what is needed to undo them.
  bool of_command = false;
  std::uint64_t kept_bytes = 0;  // of_command: by the store
  std::string gap = {};          // of_command: why it cannot be undone; usually empty

  [[nodiscard]] bool touches(std::string_view path) const;
  bool operator==(const ChangeRecord&) const = default;
};

// As the log has it. They differ from each other in four bits, so a flipped bit never makes one of another.
enum class RecordState : unsigned char {
  kPending = 0x96,
  kCommitted = 0xA5,
  kRolledBack = 0xAA,
  kKeptAside = 0x99,
};

[[nodiscard]] std::string encode_record(const ChangeRecord& record);
// nullopt when the bytes are not a record of this version or an older one.
[[nodiscard]] std::optional<ChangeRecord> decode_record(std::string_view bytes);
// The version of the record's format.
[[nodiscard]] std::uint64_t record_version(std::string_view bytes);
[[nodiscard]] bool is_newer_record(std::string_view bytes);
// Reads only the id, from bytes that may not be a record. Empty when they clearly are not.
[[nodiscard]] std::string_view peek_record_id(std::string_view bytes);

// True when the content, in pieces, is the file's old or new content.
[[nodiscard]] bool is_content(const FileRecord& file, patch::SpliceSide side,
                              std::span<const std::string_view> content, const FingerprintKey& key);

}  // namespace helve::changes
