// Existing paths that someone who named a missing one most likely meant.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workspace/root_walk.h"

namespace helve {

// `place` is where the walk for the missing path ended. The best candidates first, relative to the base, at
// most three. Looks at so many directory entries at most, and through no links.
[[nodiscard]] std::vector<std::string> near_paths(const BaseDirectory& base, const Place& place,
                                                  std::size_t most_entries = 4000);

}  // namespace helve
