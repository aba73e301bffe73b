#include "patch/patch_place_lines.h"

#include <algorithm>
#include <expected>
#include <optional>
#include <ranges>

#include "base/strings.h"
#include "patch/patch_shape.h"

namespace helve::patch {
namespace {

using Placed = std::expected<Placement, MisfitReason>;

class LinePlacer {
 public:
  LinePlacer(PatchTarget& target, const FilePatch& patch) : target_(target), patch_(patch) {}

  Placements run() && {
    for (std::size_t n = 0; n < patch_.hunks.size(); ++n) {
      index_ = n;
      hunk_ = &patch_.hunks[n];
      shape_ = shape_of(*hunk_);
      places_.clear();
      Placed placed = place();
      if (placed) {
        result_.found.push_back(std::move(*placed));
      } else {
        result_.misfits.push_back({n, placed.error(), std::move(places_)});
      }
    }
    return std::move(result_);
  }

 private:
  Placed place() {
    anchors_ = find_anchors();
    if (anchors_.empty() && !hunk_->anchors.empty()) return std::unexpected(MisfitReason::kNoAnchor);
    if (shape_.old_lines == 0) return place_addition();
    const HunkPattern whole = target_.old_side(*hunk_);
    Placed placed = search(whole, 0);
    // A blank line at the end of a hunk can also stand for the end of the file, or separate the hunk from the
    // next part.
    if (!placed && placed.error() == MisfitReason::kNotFound && ends_with_blank_line())
      placed = search(target_.old_side(*hunk_, 0, 1), 1);
    if (!placed && placed.error() == MisfitReason::kNotFound) return std::unexpected(why_not(whole));
    return placed;
  }

  [[nodiscard]] bool ends_with_blank_line() const {
    const PatchLine& last = hunk_->lines.back();
    return last.op != '+' && trim(last.text).empty() && shape_.old_lines > 1;
  }

  Placed search(const HunkPattern& pattern, std::size_t trail) {
    for (const MatchTier tier : {MatchTier::kExact, MatchTier::kLineEndings, MatchTier::kAnyTrailingSpace,
                                 MatchTier::kSurroundingSpace, MatchTier::kPunctuation}) {
      places_ = target_.find_all(pattern, tier);
      std::erase_if(places_, [&](std::size_t at) {
        return at < cursor_ || (hunk_->at_end_of_file && at + pattern.size() != target_.line_count());
      });
      narrow_by_anchors();
      if (places_.empty()) continue;
      const auto stated = std::ranges::find(places_, hunk_->old_start - 1);
      const bool is_stated = hunk_->old_start > 0 && stated != places_.end();
      if (places_.size() > 1 && !is_stated && !is_first_of_equals(pattern.size()))
        return std::unexpected(MisfitReason::kAmbiguous);
      const std::size_t at = places_.size() > 1 && is_stated ? *stated : places_.front();
      cursor_ = at + pattern.size();
      Placement placement = placement_of(index_, shape_, at, 0, trail, tier);
      if (hunk_->old_start > 0)
        placement.offset =
            static_cast<std::ptrdiff_t>(at) - static_cast<std::ptrdiff_t>(hunk_->old_start - 1);
      return placement;
    }
    return std::unexpected(MisfitReason::kNotFound);
  }

  // Whether as many hunks with these old lines follow as there are places: each takes one, in order.
  [[nodiscard]] bool is_first_of_equals(std::size_t lines) const {
    for (std::size_t i = 1; i < places_.size(); ++i)
      if (places_[i] < places_[i - 1] + lines) return false;
    std::size_t equals = 0;
    for (std::size_t n = index_; n < patch_.hunks.size() && has_equal_old_side(patch_.hunks[n]); ++n)
      ++equals;
    return equals == places_.size();
  }

  [[nodiscard]] bool has_equal_old_side(const Hunk& other) const {
    const auto is_old = [](const PatchLine& line) { return line.op != '+'; };
    return other.anchors == hunk_->anchors && other.at_end_of_file == hunk_->at_end_of_file &&
           std::ranges::equal(other.lines | std::views::filter(is_old),
                              hunk_->lines | std::views::filter(is_old), {}, &PatchLine::text,
                              &PatchLine::text);
  }

  // Of the places below an anchor, only the first one counts.
  void narrow_by_anchors() {
    if (hunk_->anchors.empty()) return;
    std::vector<std::size_t> first_ones;
    for (const std::size_t anchor : anchors_) {
      const auto first = std::ranges::upper_bound(places_, anchor);
      if (first == places_.end()) break;
      if (first_ones.empty() || first_ones.back() != *first) first_ones.push_back(*first);
    }
    places_ = std::move(first_ones);
  }

  // Only added lines go to the end of the file.
  Placed place_addition() {
    if (!hunk_->anchors.empty() && !hunk_->at_end_of_file) return std::unexpected(MisfitReason::kNoContext);
    const std::size_t stated = hunk_->old_start > 0 ? hunk_->old_start - 1 : target_.line_count();
    const std::size_t at = std::min(stated, target_.line_count());
    if (at < cursor_) return std::unexpected(MisfitReason::kOutOfOrder);
    if (hunk_->old_start > 0) cursor_ = at;
    if (!anchors_.empty()) cursor_ = anchors_.front() + 1;
    Placement place = placement_of(index_, shape_, at, 0, 0, MatchTier::kLineEndings);
    if (hunk_->old_start == 0 && !hunk_->at_end_of_file && target_.line_count() > 0)
      place.note = "added at the end of the file, since it names no place";
    return place;
  }

  // Lines below the last hunk where the innermost anchor follows the outer ones.
  std::vector<std::size_t> find_anchors() {
    std::vector<std::size_t> reached;
    for (std::size_t n = 0; n < hunk_->anchors.size(); ++n) {
      const bool is_innermost = n + 1 == hunk_->anchors.size();
      const std::vector<std::size_t> found =
          target_.find_anchor(hunk_->anchors[n], is_innermost ? cursor_ : 0);
      if (n == 0) {
        reached = found;
        continue;
      }
      std::vector<std::size_t> next;
      for (const std::size_t outer : reached) {
        const auto inner = std::ranges::upper_bound(found, outer);
        if (inner != found.end() && (next.empty() || next.back() != *inner)) next.push_back(*inner);
      }
      reached = std::move(next);
    }
    return reached;
  }

  MisfitReason why_not(const HunkPattern& pattern) {
    std::vector<std::size_t> found = target_.find_all(pattern, MatchTier::kLineEndings);
    if (!found.empty()) {
      const bool is_below = found.back() >= cursor_;
      places_ = std::move(found);
      if (!is_below) return MisfitReason::kOutOfOrder;
      return hunk_->anchors.empty() ? MisfitReason::kNotAtEdge : MisfitReason::kNotBelowAnchor;
    }
    return is_already_applied(target_, *hunk_, shape_, 0, places_) ? MisfitReason::kAlreadyApplied
                                                                   : MisfitReason::kNotFound;
  }

  PatchTarget& target_;
  const FilePatch& patch_;
  Placements result_;
  std::size_t cursor_ = 0;  // the end of the last hunk

  // The current hunk.
  std::size_t index_ = 0;
  const Hunk* hunk_ = nullptr;
  HunkShape shape_;
  std::vector<std::size_t> anchors_;
  std::vector<std::size_t> places_;
};

}  // namespace

Placements place_by_lines(PatchTarget& target, const FilePatch& patch) {
  return LinePlacer(target, patch).run();
}

}  // namespace helve::patch
