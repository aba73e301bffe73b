// Replaces or creates one file in one step, durably, and only if it still is what the caller has seen.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/durability.h"
#include "workspace/file_state.h"
#include "workspace/write_target.h"

namespace helve {

// A file with several names (hard links) cannot be replaced in one step without parting them.
enum class HardLinks {
  kRefuse,  // PERMISSION_DENIED with details.kind HARD_LINKED; the caller may ask the human and try again
  kWriteInPlace,  // keeps the link; a crash half-way can tear the content
};

struct WriteOptions {
  Durability durability = Durability::kFull;
  HardLinks hard_links = HardLinks::kRefuse;
  mode_t new_file_mode = 0666;                // less the umask, as for any new file
  std::optional<mode_t> mode = {};            // permission bits, exactly; nothing: the old file's
  std::chrono::milliseconds lock_wait{5000};  // for other writers
  // The name beside the file that is used where one is needed for a moment, for callers that must know it
  // before; empty: an unguessable one (random_temporary_name).
  std::string_view temporary_name = {};
};

struct WriteOutcome {
  bool created = false;
  bool changed = false;   // false: it had this content already and was not touched
  bool in_place = false;  // hard-linked, so not replaced
  FileIdentity identity = {};
  // What the old file had (owner, attributes) and the new one could not get, in words.
  std::vector<std::string> not_kept = {};
  // A temporary name beside the file that the disk refused to remove.
  std::string left_over = {};
};

// The content comes in pieces, so that an edit of a large file needs no second copy of it.
//
// On success the name holds the new content, and with Durability::kFull the disk does. On an error the old
// content is there, whole, and no temporary file is left; the one exception is OUTCOME_UNKNOWN, when not
// even going back worked, which says where the old content is. CONFLICT when the file is not as expected.
//
// May be called from all threads and processes at once. Of several writers that expect the same state,
// exactly one succeeds. Programs that do not know Helve's locks are guarded against like this: the new file
// and the old one swap names in one step, then the old one, which nobody can reach any more, is compared once
// more, and if it is not as expected, the two swap back. What remains:
//   - such a program may see the new content for a moment before it is swapped back;
//   - one that opened the file for writing just before is noticed (by a lease) if the file belongs to our
//     user and the disk is local; else its later output goes to the old file and is lost;
//   - a file system that cannot swap names (RENAME_EXCHANGE) leaves the moment between compare and rename;
//   - a kill in the instants of a swap back leaves the other program's content under the temporary name.
[[nodiscard]] Expected<WriteOutcome> atomic_write(const WriteTarget& target,
                                                  std::span<const std::string_view> content,
                                                  const ExpectedState& expected,
                                                  const WriteOptions& options = {});
[[nodiscard]] inline Expected<WriteOutcome> atomic_write(const WriteTarget& target, std::string_view content,
                                                         const ExpectedState& expected,
                                                         const WriteOptions& options = {}) {
  return atomic_write(target, std::span(&content, 1), expected, options);
}

}  // namespace helve
