// Finds Unix sockets of other programs that a command could connect to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/plan.h"

namespace helve::sandbox {

// No mount option, no Landlock version up to 7 and no network namespace keeps a process from connecting to a
// socket it can see. So open sockets outside the plan's own directories (key agents, container engines in a
// home directory, databases) belong in Plan::hidden. /run, /tmp and /dev are replaced anyway.
[[nodiscard]] std::vector<std::string> find_outside_sockets(const Plan& plan);

// The absolute paths in a table such as /proc/net/unix, each once.
[[nodiscard]] std::vector<std::string> socket_paths(std::string_view table);

}  // namespace helve::sandbox
