// Writes over a file that has several names, so that they stay one file.
#pragma once

#include <span>
#include <string_view>

#include "helve/error.h"
#include "workspace/durability.h"
#include "workspace/file_state.h"
#include "workspace/locked_file.h"
#include "workspace/write_target.h"

namespace helve {

// Space is reserved before the first byte changes, and a write that fails is taken back; only a crash of the
// machine or a kill half-way can leave a mixture. CONFLICT when the file is not as expected.
[[nodiscard]] Expected<void> write_in_place(const WriteTarget& target, const LockedFile& file,
                                            std::span<const std::string_view> content,
                                            const ExpectedState& expected, Durability durability);

}  // namespace helve
