#include "patch/patch_place_numbers.h"

#include <algorithm>
#include <optional>

#include "base/strings.h"
#include "patch/patch_assemble.h"
#include "patch/patch_rules.h"
#include "patch/patch_shape.h"

namespace helve::patch {
namespace {

class NumberPlacer {
 public:
  NumberPlacer(PatchTarget& target, const FilePatch& patch, const PatchApplyOptions& options)
      : target_(target), patch_(patch), options_(options) {}

  Placements run() && {
    for (const MatchTier tier : {MatchTier::kExact, MatchTier::kLineEndings}) {
      if (std::optional<RuleOutcome> outcome = place_exactly(tier)) return placements(*std::move(outcome));
      if (!misfits_.empty()) return {{}, std::move(misfits_)};
    }
    std::optional<std::string> by_patch;
    for (const MatchTier tier : {MatchTier::kExact, MatchTier::kLineEndings}) {
      RuleOutcome outcome = by_patch_rule(tier, options_.max_fuzz);
      if (!outcome.is_whole()) {
        misfits_ = explained(outcome.failed);
        continue;
      }
      misfits_ = doubts_about(outcome);
      if (misfits_.empty()) return placements(std::move(outcome));
      by_patch = text_of(outcome);
      break;
    }
    if (options_.ignore_trailing_space) {
      RuleOutcome outcome = by_patch_rule(MatchTier::kTrailingSpace, 0);
      if (outcome.is_whole() && (!by_patch || *by_patch == text_of(outcome)) && doubts_about(outcome).empty())
        return placements(std::move(outcome));
    }
    return {{}, std::move(misfits_)};
  }

 private:
  [[nodiscard]] std::string text_of(const RuleOutcome& outcome) const {
    return assemble(target_, patch_, sorted(outcome.found)).text;
  }

  RuleOutcome by_git_rule(MatchTier tier) { return refined(apply_git_rule(target_, patch_, tier)); }
  RuleOutcome by_patch_rule(MatchTier tier, std::size_t fuzz) {
    return refined(apply_patch_rule(target_, patch_, tier, fuzz));
  }

  // Hunks that match more strictly than the file as a whole keep their own line endings.
  RuleOutcome refined(RuleOutcome outcome) {
    for (Placement& place : outcome.found) {
      const HunkPattern pattern = target_.old_side(patch_.hunks[place.hunk], place.lead, place.trail);
      for (const MatchTier tier : {MatchTier::kExact, MatchTier::kLineEndings}) {
        if (tier < place.tier && target_.matches(pattern, place.at, tier)) place.tier = tier;
      }
    }
    return outcome;
  }

  static std::vector<Placement> sorted(std::vector<Placement> found) {
    std::ranges::stable_sort(found, {}, [](const Placement& placement) {
      return std::pair(placement.change_begin, placement.change_end);
    });
    return found;
  }

  [[nodiscard]] bool has_same_text(const RuleOutcome& one, const RuleOutcome& other) const {
    const auto place = [](const Placement& placement) {
      return std::pair(placement.hunk, placement.change_begin);
    };
    return std::ranges::equal(one.found, other.found, {}, place, place) || text_of(one) == text_of(other);
  }

  // All lines of all hunks match. Leaves misfits if that is so at several places and none is certain.
  std::optional<RuleOutcome> place_exactly(MatchTier tier) {
    RuleOutcome git = by_git_rule(tier);
    RuleOutcome patch = by_patch_rule(tier, 0);
    if (git.is_whole()) {
      if (patch.is_whole() && has_same_text(git, patch)) return patch;
      if (!patch.is_whole()) {
        const RuleOutcome fuzzy = by_patch_rule(tier, options_.max_fuzz);
        if (fuzzy.is_whole() && has_same_text(git, fuzzy)) return git;
      }
    }
    if (git.is_whole() && patch.is_whole()) {
      // A hunk that moved tells more about the next one than that one's line number, so patch comes first.
      if (patch.is_certain()) return patch;
      if (git.is_certain()) return git;
      blame_differences(git, patch);
      return std::nullopt;
    }
    for (RuleOutcome* outcome : {&git, &patch}) {
      if (!outcome->is_whole()) continue;
      if (!outcome->has_equally_near) return std::move(*outcome);
      blame_unexpected(*outcome);
    }
    return std::nullopt;
  }

  void blame_differences(const RuleOutcome& git, const RuleOutcome& patch) {
    for (std::size_t n = 0; n < patch.found.size(); ++n) {
      if (git.found[n].change_begin != patch.found[n].change_begin)
        misfits_.push_back({n, MisfitReason::kAmbiguous, places_of(n)});
    }
  }

  void blame_unexpected(const RuleOutcome& outcome) {
    for (std::size_t n = 0; n < outcome.found.size(); ++n) {
      if (outcome.rivals[n] > 0)
        misfits_.push_back(
            {outcome.found[n].hunk, MisfitReason::kAmbiguous, places_of(outcome.found[n].hunk)});
    }
  }

  std::vector<std::size_t> places_of(std::size_t n) {
    const HunkPattern pattern = target_.old_side(patch_.hunks[n]);
    return pattern.size() > 0 ? target_.find_all(pattern, MatchTier::kLineEndings)
                              : std::vector<std::size_t>();
  }

  // Not every line was compared, so each place must be the stated or the only one, and must share lines that
  // do not match by chance.
  std::vector<Misfit> doubts_about(RuleOutcome& outcome) {
    std::vector<Misfit> doubts;
    std::vector<std::size_t> others;
    for (std::size_t n = 0; n < outcome.found.size(); ++n) {
      Placement& place = outcome.found[n];
      const Hunk& hunk = patch_.hunks[place.hunk];
      const HunkShape shape = shape_of(hunk);
      const std::size_t whole_at = place.at - place.lead;
      const bool is_loose = place.lead + place.trail > 0 || place.tier == MatchTier::kTrailingSpace;
      if (!is_loose) continue;
      std::vector<std::size_t> places;
      if (is_already_applied(target_, hunk, shape, whole_at, places)) {
        doubts.push_back({place.hunk, MisfitReason::kAlreadyApplied, std::move(places)});
      } else if (!outcome.expected[n] && outcome.rivals[n] > 0) {
        doubts.push_back({place.hunk, MisfitReason::kAmbiguous,
                          target_.find_all(target_.old_side(hunk, place.lead, place.trail), place.tier)});
      } else if (leaves_edge(shape, hunk, place) || !shares_enough(hunk, shape, place, whole_at)) {
        others.push_back(place.hunk);
      }
    }
    for (Misfit& misfit : explained(others)) doubts.push_back(std::move(misfit));
    return doubts;
  }

  // An addition that belongs to the start or the end of the file must not move inside: if it was applied
  // already, it would be added again.
  [[nodiscard]] bool leaves_edge(const HunkShape& shape, const Hunk& hunk, const Placement& place) const {
    if (shape.removes) return false;
    const bool ends_file = place.change_end + shape.trailing == target_.line_count();
    return (shape.trailing == 0 && !ends_file) ||
           (shape.leading == 0 && hunk.old_start <= 1 && place.change_begin > 0);
  }

  // Counts again how many context lines do not match, which can be fewer than were ignored.
  bool shares_enough(const Hunk& hunk, const HunkShape& shape, Placement& place, std::size_t whole_at) {
    while (place.lead > 0 &&
           target_.matches(target_.old_side(hunk, place.lead - 1, place.trail), place.at - 1, place.tier)) {
      --place.lead;
      --place.at;
    }
    while (place.trail > 0 && target_.matches(target_.old_side(hunk, place.lead, place.trail - 1),
                                              whole_at + place.lead, place.tier))
      --place.trail;
    const HunkPattern shared = target_.old_side(hunk, place.lead, place.trail);
    const std::size_t context = shape.leading + shape.trailing;
    return (context == 0 || place.lead + place.trail < context) &&
           std::ranges::any_of(shared.lines, [](const PatchLine* line) { return !trim(line->text).empty(); });
  }

  std::vector<Misfit> explained(const std::vector<std::size_t>& hunks) {
    std::vector<Misfit> misfits;
    for (const std::size_t n : hunks) misfits.push_back(explain(n));
    return misfits;
  }

  Misfit explain(std::size_t n) {
    const Hunk& hunk = patch_.hunks[n];
    const HunkShape shape = shape_of(hunk);
    Misfit misfit{.hunk = n};
    if (is_already_applied(target_, hunk, shape, hunk.old_start - 1, misfit.places)) {
      misfit.reason = MisfitReason::kAlreadyApplied;
    } else if (shape.old_lines == 0) {
      misfit.reason = MisfitReason::kTaken;
    } else if (misfit.places = places_of(n); !misfit.places.empty()) {
      const bool is_at_edge = shape.leading == 0 || shape.trailing == 0;
      misfit.reason =
          is_at_edge && patch_.hunks.size() == 1 ? MisfitReason::kNotAtEdge : MisfitReason::kTaken;
    }
    return misfit;
  }

  Placements placements(RuleOutcome outcome) {
    for (std::size_t n = 0; n < outcome.found.size(); ++n) {
      if (outcome.rivals[n] > 0)
        outcome.found[n].note =
            concat("the nearest of ", count_of(outcome.rivals[n] + 1, "place"), " with these lines");
    }
    return {std::move(outcome.found), {}};
  }

  PatchTarget& target_;
  const FilePatch& patch_;
  const PatchApplyOptions& options_;
  std::vector<Misfit> misfits_;
};

}  // namespace

Placements place_by_numbers(PatchTarget& target, const FilePatch& patch, const PatchApplyOptions& options) {
  return NumberPlacer(target, patch, options).run();
}

}  // namespace helve::patch
