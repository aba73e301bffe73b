// The system calls a command may make: all except those that bypass or weaken the sandbox.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "helve/error.h"

namespace helve::sandbox {

struct SeccompChoice {
  bool internet_sockets = true;  // false if there is no network namespace to confine them
};

[[nodiscard]] std::vector<sock_filter> seccomp_filter(SeccompChoice choice);

// Needs no_new_privs or CAP_SYS_ADMIN.
[[nodiscard]] Expected<void> enforce_seccomp(SeccompChoice choice);

}  // namespace helve::sandbox
