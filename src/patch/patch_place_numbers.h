// Places the hunks of a unified diff, which have line numbers.
#pragma once

#include "patch/patch_place.h"

namespace helve::patch {

// Does what `git apply` and GNU patch do where both do the same. Otherwise it decides for the whole file:
//   - a result of one of them without ignored context counts if no other place is as near;
//   - of two different results, the one that is where the line numbers say;
//   - a result of patch with ignored context counts if the place is certain and shares more than blank lines.
// Before context is ignored, line endings are; and white space at the ends of context lines is the last
// resort.
[[nodiscard]] Placements place_by_numbers(PatchTarget& target, const FilePatch& patch,
                                          const PatchApplyOptions& options);

}  // namespace helve::patch
