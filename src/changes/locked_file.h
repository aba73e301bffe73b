// Locks a file so that only one Helve writer changes it at a time, and checks that it is as expected.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <string_view>

#include "base/file_io.h"
#include "helve/error.h"
#include "workspace/file_state.h"
#include "workspace/file_write.h"

namespace helve::changes {

// Becomes details.reason of a CONFLICT error.
enum class Conflict { kChanged, kDeleted, kCreated, kOpenForWriting, kLocked };

[[nodiscard]] Error conflict_error(Conflict conflict, std::string_view path);
// True for errors whose message already says so, such as those of conflict_error().
[[nodiscard]] bool says_nothing_was_written(const Error& error);

// Owned by one thread. Closing the handle releases the advisory lock (flock). Programs that ignore the lock
// are detected by comparing the content.
struct LockedFile {
  UniqueFd fd;  // read-only
  struct stat status = {};
};

// Opens and locks the file that has the name now. Waits for other Helve writers.
[[nodiscard]] Expected<LockedFile> lock_file(const workspace::WriteTarget& target,
                                             std::chrono::milliseconds wait);

// CONFLICT unless the file is as expected. Trusts an unchanged identity, so it is only a first check.
[[nodiscard]] Expected<void> check_state(const LockedFile& file, const workspace::ExpectedState& expected,
                                         std::string_view path);

// The same, but compares the content.
[[nodiscard]] Expected<void> check_content(const LockedFile& file, const workspace::ExpectedState& expected,
                                           std::string_view path);

// The same for a file that no longer has its name. No program can open it any more, so if none has it open
// for writing, it cannot change again. CONFLICT if one has.
[[nodiscard]] Expected<void> check_withdrawn(const LockedFile& file, const workspace::ExpectedState& expected,
                                             std::string_view path);

}  // namespace helve::changes
