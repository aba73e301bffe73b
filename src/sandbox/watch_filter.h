// Notifies Helve of each system call with which a command may create, change or remove a file, before the
// call runs.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "base/file_io.h"

namespace helve::sandbox {

// Everything else passes without a notification: reading costs nothing.
[[nodiscard]] std::vector<sock_filter> watch_filter();

// Installs the filter for this process and its children, and returns the descriptor that receives the
// notifications. When nobody holds that descriptor any more, the calls fail with ENOSYS. Needs no_new_privs.
// Invalid with errno set when the kernel cannot do it, or when the process has such a filter already.
[[nodiscard]] UniqueFd watch_changes();

}  // namespace helve::sandbox
