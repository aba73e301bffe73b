// Where the changes of a hunk are among its lines.
#pragma once

#include <cstddef>

#include "patch/patch_place.h"

namespace helve::patch {

struct HunkShape {
  std::size_t leading = 0;   // context lines before the first change
  std::size_t trailing = 0;  // and after the last one
  std::size_t old_lines = 0;
  std::size_t new_lines = 0;
  bool adds = false;
  bool removes = false;  // a line that is not blank
};

[[nodiscard]] HunkShape shape_of(const Hunk& hunk);

// The placement of the whole hunk at line `at`, of which `lead` and `trail` lines are not compared.
[[nodiscard]] Placement placement_of(std::size_t hunk, const HunkShape& shape, std::size_t at,
                                     std::size_t lead, std::size_t trail, MatchTier tier);

// True if the file has the lines that the hunk would leave, at this line or nowhere else; `places` says
// where.
[[nodiscard]] bool is_already_applied(PatchTarget& target, const Hunk& hunk, const HunkShape& shape,
                                      std::size_t stated, std::vector<std::size_t>& places);

}  // namespace helve::patch
