#include "patch/patch_place.h"

#include <algorithm>

#include "base/strings.h"
#include "patch/patch_place_lines.h"
#include "patch/patch_place_numbers.h"
#include "patch/patch_shape.h"

namespace helve::patch {

HunkShape shape_of(const Hunk& hunk) {
  HunkShape shape;
  bool is_changed = false;
  for (const PatchLine& line : hunk.lines) {
    if (line.op != '+') ++shape.old_lines;
    if (line.op != '-') ++shape.new_lines;
    if (line.op == ' ') {
      ++(is_changed ? shape.trailing : shape.leading);
      continue;
    }
    is_changed = true;
    shape.trailing = 0;
    shape.adds |= line.op == '+';
    shape.removes |= line.op == '-' && !trim(line.text).empty();
  }
  return shape;
}

Placement placement_of(std::size_t hunk, const HunkShape& shape, std::size_t at, std::size_t lead,
                       std::size_t trail, MatchTier tier) {
  const std::size_t begin = at + shape.leading;
  const std::size_t changed = shape.old_lines - shape.leading - shape.trailing;
  return {hunk, at + lead, lead, trail, tier, begin, begin + changed, 0, {}};
}

bool is_already_applied(PatchTarget& target, const Hunk& hunk, const HunkShape& shape, std::size_t stated,
                        std::vector<std::size_t>& places) {
  const bool changes = shape.leading < hunk.lines.size();
  if (!changes || shape.new_lines == 0) return false;
  places = target.find_all(target.new_side(hunk), MatchTier::kLineEndings);
  if (hunk.old_start > 0 && std::ranges::find(places, stated) != places.end()) return true;
  // A few lines match by chance, so they must be unique elsewhere.
  const std::size_t telling = shape.adds ? 1 : 2;
  return places.size() == 1 && shape.new_lines >= telling;
}

namespace {

// A line that is added without a newline can only be the last one.
void refuse_unfinished_lines(const PatchTarget& target, const FilePatch& patch, Placements& placements) {
  std::erase_if(placements.found, [&](const Placement& place) {
    const Hunk& hunk = patch.hunks[place.hunk];
    const bool ends_file = place.change_end + shape_of(hunk).trailing == target.line_count();
    const bool is_unfinished = std::ranges::any_of(
        hunk.lines, [](const PatchLine& line) { return line.op == '+' && !line.has_newline; });
    if (ends_file || !is_unfinished) return false;
    placements.misfits.push_back({place.hunk, MisfitReason::kNotAtEdge, {place.at}});
    return true;
  });
}

}  // namespace

Placements place_hunks(PatchTarget& target, const FilePatch& patch, const PatchApplyOptions& options) {
  constexpr std::size_t kMostPlaces = 100;
  const bool by_numbers =
      patch.form == PatchForm::kUnified &&
      std::ranges::all_of(patch.hunks, [](const Hunk& hunk) { return hunk.old_start > 0; });
  Placements placements =
      by_numbers ? place_by_numbers(target, patch, options) : place_by_lines(target, patch);
  refuse_unfinished_lines(target, patch, placements);
  // An aborted search may have missed a better place.
  if (target.is_exhausted() && placements.misfits.empty())
    placements.misfits.push_back({0, MisfitReason::kTooMuchWork});
  for (Misfit& misfit : placements.misfits) {
    if (target.is_exhausted()) misfit.reason = MisfitReason::kTooMuchWork;
    if (misfit.places.size() > kMostPlaces) misfit.places.resize(kMostPlaces);
  }
  // Stable: two hunks that add lines at one place keep their order.
  std::ranges::sort(placements.found, {}, &Placement::hunk);
  std::ranges::stable_sort(placements.found, {}, [](const Placement& placement) {
    return std::pair(placement.change_begin, placement.change_end);
  });
  std::ranges::sort(placements.misfits, {}, &Misfit::hunk);
  return placements;
}

}  // namespace helve::patch
