// The three moments at which the launcher walls in a command, in the order in which they happen.
//
//   launcher        Placeholders::make()          see placeholders.h; dropped when the init has ended
//   launcher        enter_namespaces()            one thread, before it forks the command's init
//   init (pid 1)    build_view()                  in the new namespaces; stays outside of the walls below
//   command         restrict_self()               the last step before exec
//
// All three run in single-threaded processes that may do nothing else afterwards but what
// this comment says, so they may allocate. An error ends the launch: its message names the part and what to
// do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "sandbox/plan.h"

namespace helve::sandbox {

// What the machine could not offer and the plan allowed to do without.
using Missing = std::vector<Part>;

// User, network, IPC, UTS, cgroup namespaces for this process, a PID namespace for its children.
[[nodiscard]] Expected<void> enter_namespaces(const Plan& plan, Missing& missing);
// A mount namespace, and in it the file tree as the command sees it: read-only root, writable places,
// protected and hidden paths, /proc, /dev, /tmp.
[[nodiscard]] Expected<void> build_view(const Plan& plan, Missing& missing);
// Resource limits, no new privileges, capabilities, Landlock, seccomp; also at level off what makes sense
// there (limits).
[[nodiscard]] Expected<void> restrict_self(const Plan& plan, Missing& missing);

// Makes this process, fresh and with one thread, the holder of a user and a network namespace that commands
// can share.
[[nodiscard]] Expected<void> hold_network();

// What this machine offers, found out by trying in child processes. For `helve doctor` and for refusing
// early.
struct PartState {
  Part part;
  bool available = false;
  std::string detail = {};  // "ABI 7", or why it is missing and how to get it
};
[[nodiscard]] std::vector<PartState> probe_machine();

[[nodiscard]] std::string_view part_name(Part part);  // "user namespace"

}  // namespace helve::sandbox
