// Whether other users could change a file that Helve obeys.
#pragma once

#include <string>

#include "helve/error.h"

namespace helve {

// SECURITY if users other than this one and root can write the file or directory, or put another one in its
// place: by its mode and owner, and those of all directories above it. A group with no other
// member is allowed, because some systems give each user one and make every file writable for it.
[[nodiscard]] Expected<void> check_writers(const std::string& path);

// The same for a directory that holds this user's own files, which must belong to this user. A directory that
// does not exist yet passes.
[[nodiscard]] Expected<void> check_own_directory(const std::string& path);

}  // namespace helve
