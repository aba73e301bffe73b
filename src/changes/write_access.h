// How a file may be written: not at all, only in place, or by replacing it.
#pragma once

#include <sys/stat.h>

#include <string>

#include "helve/error.h"
#include "workspace/file_write.h"

namespace helve::changes {

// PERMISSION_DENIED when the file is read-only for the user. Replacing it would work wherever its directory
// is writable, so the kernel does not refuse that. Root may write everything; there a file without a write
// bit for its owner counts as read-only.
[[nodiscard]] Expected<void> check_writable(const workspace::WriteTarget& target, const struct stat& status);

// Why another file cannot take the file's name, as the end of "a.txt …"; empty when it can.
[[nodiscard]] std::string why_in_place(const workspace::WriteTarget& target, const struct stat& status);

}  // namespace helve::changes
