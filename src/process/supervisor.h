// Watches over one running command from above: as init of its PID namespace, or as the subreaper of its
// descendants.
#pragma once

#include <sys/types.h>

namespace helve::process {

struct Supervision {
  pid_t command = 0;
  int control = -1;   // orders from Helve; a hang-up means that Helve is gone
  int launcher = -1;  // pidfd of the launcher that has to outlive its init; -1 without a PID namespace
  bool own_pid_namespace = false;
};

// Reaps whoever ends, carries out orders, and tells Helve when the command itself has ended. Returns when
// nothing of the command shall live any longer: init then only has to exit, and the kernel ends the rest; a
// subreaper has ended it already. The caller has blocked all signals and started the command.
void supervise(const Supervision& supervision);

}  // namespace helve::process
