// Places the hunks of a Begin Patch, and others without line numbers, by their lines.
#pragma once

#include "patch/patch_place.h"

namespace helve::patch {

// As Codex does: each hunk is searched for below the one before it and below its @@ line, exactly, then
// without trailing white space, without indentation, and with plain punctuation. Unlike Codex, a hunk that
// fits several places is refused, and so is an addition below an @@ line that names no neighbour.
[[nodiscard]] Placements place_by_lines(PatchTarget& target, const FilePatch& patch);

}  // namespace helve::patch
