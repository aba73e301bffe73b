// Builds the new text of a file from the old one and the places of the hunks.
#pragma once

#include <vector>

#include "patch/patch_apply.h"
#include "patch/patch_place.h"

namespace helve::patch {

// The placements must be in the order of their lines and must not overlap.
[[nodiscard]] PatchedText assemble(const PatchTarget& target, const FilePatch& patch,
                                   const std::vector<Placement>& placements);

}  // namespace helve::patch
