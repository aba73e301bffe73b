// Finds what a hunk most likely meant where it does not fit, and says how that differs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workspace/patch_target.h"

namespace helve {

struct ClosestRegion {
  std::size_t first_line = 0;  // counting from 0
  std::size_t line_count = 0;
  std::vector<std::string> differences;  // a few, each a sentence without its end
};

// The lines most like the hunk's old ones, near the line `stated` when several are alike. None when nothing
// is similar. The cost is linear in the text.
[[nodiscard]] std::optional<ClosestRegion> find_closest(const PatchTarget& target, const Hunk& hunk,
                                                        std::size_t stated);

}  // namespace helve
