// Supervises one running command from its parent process: as init of its PID namespace, or as the subreaper
// of its descendants.
#pragma once

#include <sys/types.h>

namespace helve::process {

struct Supervision {
  pid_t command = 0;
  int control = -1;   // signal requests from Helve; a hang-up means that Helve is gone
  int launcher = -1;  // pidfd of the launcher that must outlive its init; -1 without a PID namespace
  bool own_pid_namespace = false;
};

// Reaps processes, forwards signals, and reports to Helve when the command has ended. Returns when no process
// of the command may live any longer: an init only has to exit, and the kernel kills the rest; a subreaper
// has killed them already. The caller has blocked all signals and started the command.
void supervise(const Supervision& supervision);

}  // namespace helve::process
