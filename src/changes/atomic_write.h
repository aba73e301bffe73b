// Atomic, durable replacement or creation of one file, refused if the file is not as the caller expects.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/file_state.h"
#include "workspace/file_write.h"

namespace helve::changes {

// Replacing a file that has several hard links would separate them.
enum class HardLinks {
  kRefuse,        // PERMISSION_DENIED of kind kHardLinked; the caller may ask the user and retry
  kWriteInPlace,  // keeps the links; a crash in the middle can leave a mixture of old and new content
};

struct WriteOptions {
  workspace::Durability durability = workspace::Durability::kFull;
  HardLinks hard_links = HardLinks::kRefuse;
  mode_t new_file_mode = 0666;                // minus the umask, as for any new file
  std::optional<mode_t> mode = {};            // exact permission bits; nullopt: those of the old file
  std::chrono::milliseconds lock_wait{5000};  // how long to wait for other writers
  // Name of the temporary file in the same directory, for callers that must know it in advance. Empty: a
  // random one (random_temporary_name).
  std::string_view temporary_name = {};
};

struct WriteOutcome {
  bool created = false;
  bool changed = false;   // false: it already had this content and was not touched
  bool in_place = false;  // hard-linked, so overwritten and not replaced
  workspace::FileIdentity identity = {};
  // Metadata of the old file (owner, attributes) that the new file could not get, as display text.
  std::vector<std::string> not_kept = {};
  // The temporary file in the same directory, if it could not be removed.
  std::string left_over = {};
};

// The content comes in pieces, so that an edit of a large file does not need a second copy of it.
//
// On success the name refers to the new content; with Durability::kFull it is on disk. On an error the old
// content is intact and no temporary file is left. The exception is OUTCOME_UNKNOWN: restoring failed too,
// and the message says where the old content is. CONFLICT when the file is not as expected.
//
// Thread-safe and process-safe: of several writers that expect the same state, exactly one succeeds. Programs
// that ignore Helve's locks are detected: the new and the old file swap names atomically, then the old one,
// which no program can open any more, is compared again. If it is not as expected, the two swap back.
// Remaining gaps:
//   - another program may see the new content for a moment before it is swapped back;
//   - a program that opened the file for writing just before is detected (by a lease) only if the file
//   belongs
//     to our user and the disk is local; otherwise its later output goes to the old file and is lost;
//   - on a file system without RENAME_EXCHANGE, a change between the comparison and the rename is lost;
//   - a kill during a swap back leaves the other program's content under the temporary name.
[[nodiscard]] Expected<WriteOutcome> atomic_write(const workspace::WriteTarget& target,
                                                  std::span<const std::string_view> content,
                                                  const workspace::ExpectedState& expected,
                                                  const WriteOptions& options = {});
[[nodiscard]] inline Expected<WriteOutcome> atomic_write(const workspace::WriteTarget& target,
                                                         std::string_view content,
                                                         const workspace::ExpectedState& expected,
                                                         const WriteOptions& options = {}) {
  return atomic_write(target, std::span(&content, 1), expected, options);
}

}  // namespace helve::changes
