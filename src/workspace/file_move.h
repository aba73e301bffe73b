// Removes or renames one file, only if it still is what the caller has seen.
#pragma once

#include <chrono>
#include <string_view>

#include "helve/error.h"
#include "workspace/durability.h"
#include "workspace/file_state.h"
#include "workspace/write_target.h"

namespace helve {

struct MoveOptions {
  Durability durability = Durability::kFull;
  std::chrono::milliseconds lock_wait{5000};
  std::string_view temporary_name = {};  // that a removal uses for a moment; see WriteOptions
};

// Both may be called from all threads and processes at once, and both keep what atomic_write keeps: on an
// error the file is where it was. It is taken from its name first and compared then, so that what a program
// wrote at the last moment is found and put back.
[[nodiscard]] Expected<void> remove_file(const WriteTarget& target, const ExpectedState& expected,
                                         const MoveOptions& options = {});

// `to` must be free: CONFLICT when it is taken. Both places must be on one file system.
[[nodiscard]] Expected<FileIdentity> rename_file(const WriteTarget& from, const WriteTarget& to,
                                                 const ExpectedState& expected,
                                                 const MoveOptions& options = {});

}  // namespace helve
