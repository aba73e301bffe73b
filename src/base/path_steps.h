// The symlinks on the way to a path.
#pragma once

#include <string>
#include <vector>

namespace helve {

// For an absolute path that need not exist: the symlinks on the way to it, in the order in which they are
// followed, then the place where it leads. Only the last components of all of them can be symlinks.
[[nodiscard]] std::vector<std::string> path_steps(const std::string& path);

}  // namespace helve
