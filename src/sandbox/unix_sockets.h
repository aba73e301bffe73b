// Sockets of other programs that a command could talk to through the file tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/plan.h"

namespace helve::sandbox {

// No mount option and no version of Landlock up to 7 keeps a process from connecting to a socket it can see,
// and a network namespace does not either. So those that are open now and lie outside of the plan's own
// places (agents for keys, container engines in a home directory, databases) belong into Plan::hidden; /run,
// /tmp and /dev are laid anew anyway.
[[nodiscard]] std::vector<std::string> find_outside_sockets(const Plan& plan);

// The absolute paths in a table such as /proc/net/unix, each once.
[[nodiscard]] std::vector<std::string> socket_paths(std::string_view table);

}  // namespace helve::sandbox
