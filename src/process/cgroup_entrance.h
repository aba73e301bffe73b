// How the process of a command gets into the command's cgroups without the launcher's getting there.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve::process {

// Opened before the namespaces are entered, from where the directories cannot be seen. One thread.
class CgroupEntrance {
 public:
  [[nodiscard]] static Expected<CgroupEntrance> open(const std::vector<std::string>& directories);

  // The first process that moves between cgroups after a while makes the kernel wait for all processors, for
  // milliseconds. A process that moves for nothing begins this while the walls are built. It is one more
  // child to be reaped. Nothing where processes can be born inside, which is in version 2.
  void announce() const;
  // Like fork(). The child is inside already, or gets there by join().
  [[nodiscard]] pid_t fork_inside();
  // By the child.
  [[nodiscard]] Expected<void> join() const;

 private:
  UniqueFd birthplace_ = {};            // of version 2
  std::vector<UniqueFd> members_ = {};  // whoever writes 0 here joins
  bool born_inside_ = false;
};

}  // namespace helve::process
