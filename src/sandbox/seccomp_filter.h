// Which system calls a command may make: all but those that reach around or through the walls.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "helve/error.h"

namespace helve::sandbox {

struct SeccompChoice {
  bool internet_sockets = true;  // false where there is no network namespace to keep them in
};

[[nodiscard]] std::vector<sock_filter> seccomp_filter(SeccompChoice choice);

// Needs no_new_privs or CAP_SYS_ADMIN.
[[nodiscard]] Expected<void> enforce_seccomp(SeccompChoice choice);

}  // namespace helve::sandbox
