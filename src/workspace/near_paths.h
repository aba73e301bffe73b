// Suggests existing paths for a missing one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workspace/root_walk.h"

namespace helve::workspace {

// `place` is where the walk for the missing path ended. Returns at most three paths relative to the base,
// best first. Reads at most `most_entries` directory entries and does not follow symlinks.
[[nodiscard]] std::vector<std::string> near_paths(const BaseDirectory& base, const Place& place,
                                                  std::size_t most_entries = 4000);

}  // namespace helve::workspace
