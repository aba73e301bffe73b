// Which processes may answer for the user.
#pragma once

#include <sys/types.h>

namespace helve::inbox {

// Whether the process is the user's and not one that Helve started for a model: it has no more seccomp
// filters than this process, and does not descend from it. Commands in the sandbox cannot get rid of their
// filter.
[[nodiscard]] bool may_answer(pid_t process);

}  // namespace helve::inbox
