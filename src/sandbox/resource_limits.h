// The limits that the kernel keeps per process and per user.
#pragma once

#include "helve/error.h"
#include "sandbox/plan.h"

namespace helve::sandbox {

// For this process and its children. Memory is limited here only if no Cgroup does it, as RLIMIT_DATA: node,
// go and sanitizers reserve addresses by the terabyte, which RLIMIT_AS would count. RLIMIT_NPROC counts
// the user's processes in the user namespace alone (Linux 5.14), but never stops the machine's root: there
// only a Cgroup helps.
[[nodiscard]] Expected<void> set_resource_limits(const Limits& limits);

}  // namespace helve::sandbox
