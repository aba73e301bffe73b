// Removes or renames one file, refused if the file is not as the caller expects.
#pragma once

#include <chrono>
#include <string_view>

#include "helve/error.h"
#include "workspace/file_state.h"
#include "workspace/file_write.h"

namespace helve::changes {

struct MoveOptions {
  workspace::Durability durability = workspace::Durability::kFull;
  std::chrono::milliseconds lock_wait{5000};
  std::string_view temporary_name = {};  // for a removal; see WriteOptions
};

// Both are thread-safe and process-safe and give the guarantees of atomic_write: on an error the file is
// where it was. The file is renamed first and compared afterwards, so that a last-moment write by another
// program is detected and put back.
[[nodiscard]] Expected<void> remove_file(const workspace::WriteTarget& target,
                                         const workspace::ExpectedState& expected,
                                         const MoveOptions& options = {});

// CONFLICT when `to` exists. Both places must be on one file system.
[[nodiscard]] Expected<workspace::FileIdentity> rename_file(const workspace::WriteTarget& from,
                                                            const workspace::WriteTarget& to,
                                                            const workspace::ExpectedState& expected,
                                                            const MoveOptions& options = {});

}  // namespace helve::changes
