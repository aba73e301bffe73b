// Patches for texts in which a \r alone ends lines, too.
#pragma once

#include <string_view>

#include "helve/error.h"
#include "patch/patch_apply.h"

namespace helve::patch {

// Like apply_hunks, but \n, \r\n and \r alone all end lines. Kept lines keep their endings; added lines get
// the first one of the text.
[[nodiscard]] Expected<PatchedText> apply_hunks_to_any_lines(std::string_view old_text,
                                                             const FilePatch& patch);

}  // namespace helve::patch
