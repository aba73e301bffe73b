// Where `git apply` and GNU patch would apply the hunks of a unified diff.
#pragma once

#include <cstddef>
#include <vector>

#include "patch/patch_place.h"

namespace helve::patch {

// The placement of a file's hunks by one program.
struct RuleOutcome {
  std::vector<Placement> found;
  std::vector<std::size_t> failed;  // indices of hunks

  [[nodiscard]] bool is_whole() const { return failed.empty(); }

  // Whether the hunk is where the program looks first: at its stated line, moved as the hunks before it.
  std::vector<bool> expected = {};  // per placement
  // Places that fit as well; for placements that are not expected.
  std::vector<std::size_t> rivals = {};
  bool has_equally_near = false;  // one of them is as near as the chosen one

  // Every hunk is where it was expected, or fits nowhere else.
  [[nodiscard]] bool is_certain() const;
};

// The nearest place with all lines of the hunk, counted from its new line number. A hunk of the first line
// fits only at the start, and one without trailing context only at the end. Hunks cannot share lines.
[[nodiscard]] RuleOutcome apply_git_rule(PatchTarget& target, const FilePatch& patch, MatchTier tier);

// The nearest place below the changes before it, counted from its old line number and moved as the hunk
// before it. With fewer context lines at one side than at the other, it fits only at that end of the file. If
// there is no such place, context is ignored: `max_fuzz` lines at the side that has more of them, and as many
// less at the other side as it has fewer.
[[nodiscard]] RuleOutcome apply_patch_rule(PatchTarget& target, const FilePatch& patch, MatchTier tier,
                                           std::size_t max_fuzz);

}  // namespace helve::patch
