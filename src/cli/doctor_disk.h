// Lists the files that Helve keeps on the disk, their limits, and how each limit is applied.
#pragma once

#include <vector>

#include "cli/doctor_programs.h"
#include "core/state_upkeep.h"
#include "settings/groups.h"

namespace helve::cli {

// One finding for each part of the state and of the data that there is; a warning for each that is beyond its
// limit.
[[nodiscard]] std::vector<Finding> check_disk(const core::StatePlaces& places,
                                              const settings::Groups& settings);

}  // namespace helve::cli
