// Makes planned changes on the disk, one file after the other.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/changes.h"
#include "workspace/changes_plan.h"
#include "workspace/durability.h"
#include "workspace/root.h"

namespace helve {

struct ApplyOptions {
  Durability durability = Durability::kFull;
  std::chrono::milliseconds lock_wait{10'000};
};

// Changes one file; the name is used beside it for a moment. On an error it is as it was, but for
// OUTCOME_UNKNOWN and for a move, which may have been made without its new content.
[[nodiscard]] Expected<ChangedFile> apply_file(const Root& root, const PlannedFile& planned,
                                               std::string_view temporary, const ApplyOptions& options,
                                               std::vector<std::string>& created_directories);

// Waits for the disk to have all names, each directory once.
[[nodiscard]] Expected<void> sync_directories_of(const Root& root, std::span<const PlannedFile> files);

}  // namespace helve
