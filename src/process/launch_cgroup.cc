#include "process/launch_cgroup.h"

#include <utility>

namespace helve::process {

std::optional<sandbox::Cgroup> make_cgroup(Launch& launch) {
  sandbox::Limits& limits = launch.plan.limits;
  if (limits.processes == 0 && limits.memory_bytes == 0) return {};
  auto cgroup = sandbox::Cgroup::create(limits);
  if (!cgroup) return {};
  launch.cgroups = cgroup->directories();
  limits.in_cgroup = true;
  return *std::move(cgroup);
}

}  // namespace helve::process
