// What Helve keeps on the disk, how much may be there, and what happens when it is more.
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
