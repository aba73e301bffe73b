// The steps in which the launcher sandboxes a command, in order.
//
//   launcher        ReservedPaths::make()         see reserved_paths.h; removed when the init has ended
//   launcher        enter_namespaces()            before it forks the command's init
//   init (pid 1)    build_view()                  in the new namespaces; not affected by restrict_self()
//   command         restrict_self()               the last step before exec
//
// All of them run in single-threaded processes, so they may allocate memory. An error ends the launch; its
// message names the failed part and the next step.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "sandbox/plan.h"

namespace helve::sandbox {

// Parts that the machine does not support and the plan allows to be missing.
using Missing = std::vector<Part>;

// Creates user, network, IPC, UTS and cgroup namespaces for this process, and a PID namespace for its
// children.
[[nodiscard]] Expected<void> enter_namespaces(const Plan& plan, Missing& missing);
// Creates a mount namespace with the file tree of the command: read-only root, writable directories,
// protected and hidden paths, /proc, /dev, /tmp.
[[nodiscard]] Expected<void> build_view(const Plan& plan, Missing& missing);
// Applies resource limits, no_new_privs, capabilities, Landlock and seccomp. At level off only the limits.
[[nodiscard]] Expected<void> restrict_self(const Plan& plan, Missing& missing);

// Makes this single-threaded process the holder of a user and network namespace that commands can share.
[[nodiscard]] Expected<void> hold_network();

// The sandbox features of this machine, tested in child processes. For `helve doctor` and for early errors.
struct PartState {
  Part part;
  bool available = false;
  std::string detail = {};  // "ABI 7", or why it is missing and how to get it
};
[[nodiscard]] std::vector<PartState> probe_machine();

// Keeps processes of the same user without CAP_SYS_PTRACE from tracing this process, reading its memory or
// environment, or opening files through its /proc entry. For Helve, the fork server and the init of every
// sandbox. Not inherited over exec.
void make_undumpable();

[[nodiscard]] std::string_view part_name(Part part);  // "user namespace"

}  // namespace helve::sandbox
