// Puts a command into its cgroup: Helve creates the cgroup, and the launcher starts the command inside it.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"
#include "process/launcher_protocol.h"
#include "sandbox/cgroup.h"

namespace helve::process {

// Creates a cgroup if the plan has limits, and records it in the launch. If the kernel refuses,
// restrict_self() decides later whether the plan may run without one.
[[nodiscard]] std::optional<sandbox::Cgroup> make_cgroup(Launch& launch);

// Open handles to a command's cgroups. The launcher opens them before it enters the namespaces, because the
// cgroup directories are not visible from inside. Only for single-threaded processes.
//
// Moving a process between cgroups makes the kernel synchronise all CPUs, which takes milliseconds. Creating
// the process inside the cgroup (version 2) or moving its only thread as a thread (version 1) avoids that.
class CgroupHandles {
 public:
  [[nodiscard]] static Expected<CgroupHandles> open(const std::vector<std::string>& directories);

  // Like fork(). If the child could not be created inside the cgroups, its call to join() moves it there.
  [[nodiscard]] pid_t fork_into();
  // Called by the child.
  [[nodiscard]] Expected<void> join() const;

 private:
  UniqueFd unified_ = {};               // directory of the version 2 cgroup
  std::vector<UniqueFd> members_ = {};  // a process that writes 0 here joins the cgroup
  bool created_inside_ = false;
};

}  // namespace helve::process
