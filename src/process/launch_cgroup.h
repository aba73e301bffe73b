// The cgroup that holds what a launch starts to its limits.
#pragma once

#include <optional>

#include "process/launch_plan.h"
#include "sandbox/cgroup.h"

namespace helve::process {

// Makes one where the plan has limits, and writes into the launch that it is there. Where the kernel gives
// none, the launcher's side decides whether the plan may do without.
[[nodiscard]] std::optional<sandbox::Cgroup> make_cgroup(Launch& launch);

}  // namespace helve::process
