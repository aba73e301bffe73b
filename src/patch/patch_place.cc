#include "patch/patch_place.h"

#include <algorithm>
#include <expected>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "base/strings.h"

namespace helve::patch {
namespace {

using Placed = std::expected<Placement, MisfitReason>;

// The position of the changes in a hunk's old lines, and the context around them.
struct Shape {
  std::size_t leading = 0;
  std::size_t trailing = 0;
  std::size_t old_lines = 0;
  bool adds = false;
  bool removes = false;
};

Shape shape_of(const Hunk& hunk) {
  Shape shape;
  for (const PatchLine& line : hunk.lines) {
    if (line.op != '+') ++shape.old_lines;
    if (line.op == ' ') {
      ++(shape.adds || shape.removes ? shape.trailing : shape.leading);
    } else {
      (line.op == '+' ? shape.adds : shape.removes) = true;
      shape.trailing = 0;
    }
  }
  return shape;
}

class HunkPlacer {
 public:
  HunkPlacer(PatchTarget& target, const FilePatch& patch, const PatchApplyOptions& options)
      : target_(target), patch_(patch), options_(options) {}

  Placements run() && {
    std::vector<std::size_t> numbered;
    for (std::size_t n = 0; n < patch_.hunks.size(); ++n) {
      if (patch_.hunks[n].old_start > 0) numbered.push_back(n);
    }
    std::ranges::stable_sort(numbered, {}, [this](std::size_t n) { return patch_.hunks[n].old_start; });
    for (const std::size_t n : numbered) settle(n, &HunkPlacer::place_by_number);
    cursor_ = 0;
    for (std::size_t n = 0; n < patch_.hunks.size(); ++n) {
      if (patch_.hunks[n].old_start == 0) settle(n, &HunkPlacer::place_by_lines);
    }
    // Stable: two hunks that add lines at one place keep their order.
    std::ranges::sort(result_.found, {}, &Placement::hunk);
    std::ranges::stable_sort(result_.found, {}, [](const Placement& placement) {
      return std::pair(placement.change_begin, placement.change_end);
    });
    std::ranges::sort(result_.misfits, {}, &Misfit::hunk);
    return std::move(result_);
  }

 private:
  void settle(std::size_t index, Placed (HunkPlacer::*place)()) {
    index_ = index;
    hunk_ = &patch_.hunks[index];
    shape_ = shape_of(*hunk_);
    places_.clear();
    Placed placed = (this->*place)();
    // An aborted search may have missed a better place.
    if (target_.is_exhausted()) placed = std::unexpected(MisfitReason::kTooMuchWork);
    if (!placed) {
      if (places_.size() > kMostPlaces) places_.resize(kMostPlaces);
      const MisfitReason reason = placed.error();
      result_.misfits.push_back({index, reason, std::move(places_)});
      return;
    }
    if (placed->change_begin < placed->change_end) {
      changed_.emplace(placed->change_begin, placed->change_end);
    } else {
      insertions_.insert(placed->change_begin);
    }
    cursor_ = std::max(cursor_, placed->change_end);
    result_.found.push_back(std::move(*placed));
  }

  Placement placement(std::size_t at, std::size_t lead, std::size_t trail, MatchTier tier) const {
    const std::size_t begin = at + shape_.leading - lead;
    const std::size_t changed = shape_.old_lines - shape_.leading - shape_.trailing;
    return {index_, at, lead, trail, tier, begin, begin + changed, 0, {}};
  }

  // True if no other hunk changes the lines that this hunk would change.
  bool is_free(const Placement& place) const {
    const auto behind = changed_.lower_bound(place.change_end);
    if (behind != changed_.begin() && std::prev(behind)->second > place.change_begin) return false;
    const auto inside = insertions_.upper_bound(place.change_begin);
    return inside == insertions_.end() || *inside >= place.change_end;
  }

  // The free places of the pattern; after the previous hunks if they are in order.
  std::vector<std::size_t> free_places(const HunkPattern& pattern, std::size_t lead, MatchTier tier,
                                       std::size_t from) {
    std::vector<std::size_t> all = target_.find_all(pattern, tier);
    has_taken_ |= !all.empty();
    std::erase_if(all, [&](std::size_t at) {
      const Placement place = placement(at, lead, 0, tier);
      return place.change_begin < from || !is_free(place);
    });
    return all;
  }

  Placed place_by_number() {
    const std::ptrdiff_t shifted = static_cast<std::ptrdiff_t>(hunk_->old_start - 1) + drift_;
    stated_ = static_cast<std::size_t>(std::max<std::ptrdiff_t>(shifted, 0));
    has_taken_ = false;
    Placed placed = find_by_number();
    if (placed) {
      const std::size_t begin = placed->at - std::min(placed->lead, placed->at);
      placed->offset = static_cast<std::ptrdiff_t>(begin) - static_cast<std::ptrdiff_t>(hunk_->old_start - 1);
      drift_ = placed->offset;
    }
    return placed;
  }

  Placed find_by_number() {
    if (shape_.old_lines == 0) {
      Placement place = placement(stated_, 0, 0, MatchTier::kExact);
      if (stated_ > target_.line_count()) return std::unexpected(MisfitReason::kBeyondEnd);
      if (place.change_begin < cursor_ || !is_free(place)) return std::unexpected(MisfitReason::kTaken);
      if (target_.old_side(*hunk_).ends_file && stated_ != target_.line_count())
        return std::unexpected(MisfitReason::kNotFound);
      return place;
    }
    const HunkPattern pattern = target_.old_side(*hunk_);
    constexpr MatchTier kTiers[] = {MatchTier::kExact, MatchTier::kLineEndings};
    for (const MatchTier tier : kTiers) {
      Placement place = placement(stated_, 0, 0, tier);
      if (place.change_begin >= cursor_ && target_.matches(pattern, stated_, tier) && is_free(place))
        return place;
    }
    for (const MatchTier tier : kTiers) {
      places_ = free_places(pattern, 0, tier, cursor_);
      if (!places_.empty()) return nearest_place(tier);
    }
    return find_loosely(
        pattern,
        [this](std::size_t lead, std::size_t trail, MatchTier tier) -> std::optional<Placed> {
          if (places_.empty()) return std::nullopt;
          if (std::ranges::find(places_, stated_ + lead) != places_.end())
            return placement(stated_ + lead, lead, trail, tier);
          if (places_.size() == 1) return placement(places_.front(), lead, trail, tier);
          return std::unexpected(MisfitReason::kAmbiguous);
        },
        cursor_);
  }

  Placed nearest_place(MatchTier tier) {
    const auto distance = [this](std::size_t at) { return at > stated_ ? at - stated_ : stated_ - at; };
    const std::size_t best = *std::ranges::min_element(places_, {}, distance);
    const auto rivals =
        std::ranges::count_if(places_, [&](std::size_t at) { return distance(at) == distance(best); });
    if (rivals > 1) return std::unexpected(MisfitReason::kAmbiguous);
    Placement place = placement(best, 0, 0, tier);
    if (places_.size() > 1)
      place.note = concat("the nearest of ", count_of(places_.size(), "place"), " with these lines");
    return place;
  }

  Placed place_by_lines() {
    has_taken_ = false;
    anchors_ = find_anchors();
    if (shape_.old_lines == 0) return place_addition();
    const HunkPattern pattern = target_.old_side(*hunk_);
    places_ = free_places(pattern, 0, MatchTier::kLineEndings, 0);
    if (!places_.empty()) return only_place(0, 0, target_.line_count() - pattern.size());
    return find_loosely(
        pattern,
        [&](std::size_t lead, std::size_t trail, MatchTier tier) -> std::optional<Placed> {
          if (places_.empty()) return std::nullopt;
          Placed placed = only_place(lead, trail, target_.line_count() + lead + trail - pattern.size());
          if (placed) placed->tier = tier;
          return placed;
        },
        0);
  }

  // Only added lines: after the anchor, or at the end.
  Placed place_addition() {
    std::size_t at = target_.line_count();
    std::string note;
    if (!anchors_.empty() && !hunk_->at_end_of_file) {
      places_ = anchors_;
      if (anchors_.size() > 1) return std::unexpected(MisfitReason::kAmbiguous);
      at = anchors_.front() + 1;
      note = "added behind the @@ line";
    } else if (!hunk_->anchors.empty() && !hunk_->at_end_of_file) {
      return std::unexpected(MisfitReason::kNotFound);
    } else if (!hunk_->at_end_of_file && at > 0) {
      note = "added at the end of the file, since it names no place";
    }
    Placement place = placement(at, 0, 0, MatchTier::kLineEndings);
    place.note = std::move(note);
    if (!is_free(place)) return std::unexpected(MisfitReason::kTaken);
    return place;
  }

  // Lines where the innermost anchor follows the outer ones.
  std::vector<std::size_t> find_anchors() {
    std::vector<std::size_t> reached;
    for (std::size_t n = 0; n < hunk_->anchors.size(); ++n) {
      const std::vector<std::size_t> found = target_.find_anchor(hunk_->anchors[n]);
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
    // Hunks are usually in file order, so anchors after the last change come first.
    const auto ahead = std::ranges::lower_bound(reached, cursor_);
    if (ahead != reached.end()) reached.erase(reached.begin(), ahead);
    return reached;
  }

  // Chooses among places_, which all fit, by the end of the file or an anchor.
  Placed only_place(std::size_t lead, std::size_t trail, std::size_t last) {
    const auto place_at = [&](std::size_t at, std::string note) {
      Placement place = placement(at, lead, trail, MatchTier::kLineEndings);
      place.note = std::move(note);
      return place;
    };
    if (hunk_->at_end_of_file && places_.back() == last) return place_at(last, "");
    std::vector<std::size_t> behind_anchors;
    for (const std::size_t anchor : anchors_) {
      const auto first = std::ranges::lower_bound(places_, anchor);
      if (first == places_.end()) break;
      if (behind_anchors.empty() || behind_anchors.back() != *first) behind_anchors.push_back(*first);
    }
    if (behind_anchors.size() == 1) return place_at(behind_anchors.front(), "");
    std::string note;
    if (hunk_->at_end_of_file)
      note = "not at the end of the file, as the patch says, but there is only one such place";
    if (!hunk_->anchors.empty() && behind_anchors.empty())
      note = "not behind the @@ line, but there is only one such place";
    const auto ahead = std::ranges::lower_bound(places_, cursor_ - std::min(cursor_, shape_.leading - lead));
    if (places_.end() - ahead == 1) return place_at(*ahead, std::move(note));
    if (places_.size() == 1) return place_at(places_.front(), std::move(note));
    if (behind_anchors.size() > 1) places_ = std::move(behind_anchors);
    return std::unexpected(MisfitReason::kAmbiguous);
  }

  // The last resorts, tried only if the hunk is not already applied.
  template <class Decide>
  Placed find_loosely(const HunkPattern& pattern, Decide decide, std::size_t from) {
    if (is_already_applied()) return std::unexpected(MisfitReason::kAlreadyApplied);
    if (has_taken_) return std::unexpected(MisfitReason::kTaken);
    for (std::size_t fuzz = 1; fuzz <= options_.max_fuzz; ++fuzz) {
      // Prefer ignoring fewer lines.
      for (std::size_t ignored = fuzz; ignored <= 2 * fuzz; ++ignored) {
        for (const auto& [lead, trail] : {std::pair{fuzz, ignored - fuzz}, {ignored - fuzz, fuzz}}) {
          if (lead > shape_.leading || trail > shape_.trailing) continue;
          if (lead + trail >= shape_.leading + shape_.trailing) continue;  // some context must match
          const HunkPattern rest = target_.old_side(*hunk_, lead, trail);
          places_ = free_places(rest, lead, MatchTier::kLineEndings, from);
          if (std::optional<Placed> placed = decide(lead, trail, MatchTier::kLineEndings)) return *placed;
        }
      }
    }
    if (options_.ignore_trailing_space) {
      places_ = free_places(pattern, 0, MatchTier::kTrailingSpace, from);
      if (std::optional<Placed> placed = decide(0, 0, MatchTier::kTrailingSpace)) return *placed;
    }
    return std::unexpected(MisfitReason::kNotFound);
  }

  // A few lines match by chance, so they must be at the stated place or unique.
  bool is_already_applied() {
    if (!shape_.adds && !shape_.removes) return false;
    const HunkPattern pattern = target_.new_side(*hunk_);
    if (pattern.size() == 0) return false;
    places_ = target_.find_all(pattern, MatchTier::kLineEndings);
    if (hunk_->old_start > 0 && std::ranges::find(places_, stated_) != places_.end()) return true;
    const std::size_t telling = shape_.adds ? 1 : 2;
    return places_.size() == 1 && pattern.size() >= telling;
  }

  static constexpr std::size_t kMostPlaces = 100;

  PatchTarget& target_;
  const FilePatch& patch_;
  const PatchApplyOptions& options_;
  Placements result_;
  std::map<std::size_t, std::size_t> changed_;  // line ranges changed by the hunks placed so far
  std::set<std::size_t> insertions_;            // lines before which they only add
  std::size_t cursor_ = 0;                      // the end of the last hunk's changes
  std::ptrdiff_t drift_ = 0;                    // the offset of the last hunk's line number

  // The current hunk.
  std::size_t index_ = 0;
  const Hunk* hunk_ = nullptr;
  Shape shape_;
  std::size_t stated_ = 0;
  std::vector<std::size_t> anchors_;
  std::vector<std::size_t> places_;
  bool has_taken_ = false;  // a place matched but was not free
};

}  // namespace

Placements place_hunks(PatchTarget& target, const FilePatch& patch, const PatchApplyOptions& options) {
  return HunkPlacer(target, patch, options).run();
}

}  // namespace helve::patch
