// The file that a write is about, held so that only one writer of Helve's works on it at a time.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <string_view>

#include "base/file_io.h"
#include "helve/error.h"
#include "workspace/file_state.h"
#include "workspace/write_target.h"

namespace helve {

// details.reason of a CONFLICT.
enum class Conflict { kChanged, kDeleted, kCreated, kOpenForWriting, kLocked };

[[nodiscard]] Error conflict_error(Conflict conflict, std::string_view path);

// Owned by one thread. The lock (flock, advisory) goes with the handle; programs that do not know it are
// found out by comparing, not by the lock.
struct LockedFile {
  UniqueFd fd;  // read-only
  struct stat status = {};
};

// Opens and locks what bears the name now. Other Helve writers, in threads or processes, are waited for.
[[nodiscard]] Expected<LockedFile> lock_file(const WriteTarget& target, std::chrono::milliseconds wait);

// CONFLICT unless the file still is what the caller has seen. Trusts an unchanged identity: a first look.
[[nodiscard]] Expected<void> check_state(const LockedFile& file, const ExpectedState& expected,
                                         std::string_view path);

// The same by content alone.
[[nodiscard]] Expected<void> check_content(const LockedFile& file, const ExpectedState& expected,
                                           std::string_view path);

// The same once the file no longer bears its name: then nobody can open it any more, and when nobody has it
// open for writing either, it can never change again. CONFLICT also when somebody has.
[[nodiscard]] Expected<void> check_withdrawn(const LockedFile& file, const ExpectedState& expected,
                                             std::string_view path);

}  // namespace helve
