// How the process of a command gets into the command's cgroups without the launcher's getting there.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve::process {

// Opened before the namespaces are entered, from where the directories cannot be seen. For a process with one
// thread.
//
// Moving a process between cgroups makes the kernel wait for all processors, for milliseconds. A process that
// is born inside (version 2) or moves its only thread as a thread (version 1) does not.
class CgroupEntrance {
 public:
  [[nodiscard]] static Expected<CgroupEntrance> open(const std::vector<std::string>& directories);

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
