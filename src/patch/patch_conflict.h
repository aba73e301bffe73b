// Explains why hunks do not fit a file, so that the author of the patch can correct it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "patch/patch_place.h"
#include "patch/patch_target.h"

namespace helve::patch {

struct ClosestRegion {
  std::size_t first_line = 0;  // counting from 0
  std::size_t line_count = 0;
  std::vector<std::string> differences;  // a few, each a sentence without a period
};

// The lines most similar to the hunk's old lines; among equally similar ones, those nearest to line `stated`.
// nullopt when nothing is similar. Linear in the text.
[[nodiscard]] std::optional<ClosestRegion> find_closest(const PatchTarget& target, const Hunk& hunk,
                                                        std::size_t stated);

// A CONFLICT that lists every misfit, the first few with the expected lines and the closest ones found.
[[nodiscard]] Error conflict_of(const PatchTarget& target, const FilePatch& patch,
                                std::span<const Misfit> misfits);
// The file to be created already exists.
[[nodiscard]] Error conflict_with_existing(std::string_view old_text, const FilePatch& patch);
// The patch deletes a file but does not remove all its lines.
[[nodiscard]] Error conflict_with_leftover(std::string_view left, const FilePatch& patch);

}  // namespace helve::patch
