// Tells why hunks do not fit a file, so that whoever wrote the patch can mend it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "helve/error.h"
#include "workspace/patch_place.h"

namespace helve {

// A CONFLICT that names every misfit; the first few with the lines expected and the closest ones found.
[[nodiscard]] Error conflict_of(const PatchTarget& target, const FilePatch& patch,
                                std::span<const Misfit> misfits);
// The file to be created is there already.
[[nodiscard]] Error conflict_with_existing(std::string_view old_text, const FilePatch& patch);
// The patch deletes a file, but not all its lines.
[[nodiscard]] Error conflict_with_leftover(std::string_view left, const FilePatch& patch);

}  // namespace helve
