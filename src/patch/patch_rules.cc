#include "patch/patch_rules.h"

#include <algorithm>
#include <optional>

#include "patch/patch_shape.h"

namespace helve::patch {
namespace {

using Lines = std::ptrdiff_t;  // line numbers and distances; some places lie outside the file

Lines to_lines(std::size_t count) { return static_cast<Lines>(count); }

struct Choice {
  std::size_t at = 0;  // the first line of the whole hunk
  bool is_expected = true;
  std::size_t rivals = 0;
  bool has_equally_near = false;
};

// The place nearest to `expected`; of two, the later one.
std::optional<Choice> nearest(const std::vector<std::size_t>& places, Lines expected) {
  std::optional<Choice> best;
  Lines least = 0;
  for (const std::size_t at : places) {
    const Lines distance = std::abs(to_lines(at) - expected);
    if (best && distance > least) continue;
    best = Choice{at, distance == 0, places.size() - 1, best && distance == least};
    least = distance;
  }
  return best;
}

void accept(RuleOutcome& outcome, Placement placement, const Choice& choice) {
  outcome.found.push_back(std::move(placement));
  outcome.expected.push_back(choice.is_expected);
  outcome.rivals.push_back(choice.is_expected ? 0 : choice.rivals);
  outcome.has_equally_near |= !choice.is_expected && choice.has_equally_near;
}

std::ptrdiff_t offset_of(const Hunk& hunk, std::size_t at) {
  return to_lines(at) - to_lines(hunk.old_start - 1);
}

// Old lines that a placed hunk covers, and how many lines the text has gained up to their end.
struct Covered {
  std::size_t begin;
  std::size_t end;
  Lines gained;
  Lines gained_so_far = 0;
};

class GitRule {
 public:
  GitRule(PatchTarget& target, const FilePatch& patch, MatchTier tier)
      : target_(target), patch_(patch), tier_(tier) {}

  RuleOutcome run() && {
    for (std::size_t n = 0; n < patch_.hunks.size(); ++n) {
      const Hunk& hunk = patch_.hunks[n];
      const HunkShape shape = shape_of(hunk);
      const std::optional<Choice> choice = place(hunk, shape);
      if (!choice) {
        outcome_.failed.push_back(n);
        continue;
      }
      Placement placement = placement_of(n, shape, choice->at, 0, 0, tier_);
      placement.offset = offset_of(hunk, choice->at);
      accept(outcome_, std::move(placement), *choice);
      cover(
          {choice->at, choice->at + shape.old_lines, to_lines(shape.new_lines) - to_lines(shape.old_lines)});
    }
    return std::move(outcome_);
  }

 private:
  std::optional<Choice> place(const Hunk& hunk, const HunkShape& shape) {
    const bool at_start = hunk.header_old <= 1;
    const bool at_end = shape.trailing == 0;
    const Lines total = to_lines(target_.line_count()) + gained_before(target_.line_count());
    Lines expected = hunk.header_new > 0 ? to_lines(hunk.header_new) - 1 : 0;
    if (at_start) {
      expected = 0;
    } else if (at_end) {
      expected = total - to_lines(shape.old_lines);
    }
    if (expected < 0 || expected > total) expected = total;
    const auto fits = [&](std::size_t at) {
      const Lines now = to_lines(at) + gained_before(at);
      return is_free(at, shape.old_lines) && (!at_start || now == 0) &&
             (!at_end || now + to_lines(shape.old_lines) == total);
    };
    if (shape.old_lines == 0)
      return fits(target_.line_count()) ? std::optional(Choice{target_.line_count()}) : std::nullopt;
    const HunkPattern pattern = target_.old_side(hunk);
    // Hunks are nearly always in order and where they say.
    const Lines likely = expected - gained_before(target_.line_count());
    if (likely >= 0) {
      const auto at = static_cast<std::size_t>(likely);
      if (to_lines(at) + gained_before(at) == expected && target_.matches(pattern, at, tier_) && fits(at))
        return Choice{at};
    }
    std::vector<std::size_t> places = target_.find_all(pattern, tier_);
    std::erase_if(places, [&](std::size_t at) { return !fits(at); });
    // Distances are those of the new text.
    std::vector<std::size_t> now;
    for (const std::size_t at : places)
      now.push_back(static_cast<std::size_t>(to_lines(at) + gained_before(at)));
    std::optional<Choice> choice = nearest(now, expected);
    if (choice)
      choice->at = places[static_cast<std::size_t>(std::ranges::find(now, choice->at) - now.begin())];
    return choice;
  }

  [[nodiscard]] auto first_ending_behind(std::size_t at) const {
    return std::ranges::upper_bound(covered_, at, {}, &Covered::end);
  }

  [[nodiscard]] Lines gained_before(std::size_t at) const {
    const auto behind = first_ending_behind(at);
    return behind == covered_.begin() ? 0 : std::prev(behind)->gained_so_far;
  }

  [[nodiscard]] bool is_free(std::size_t at, std::size_t count) const {
    const auto behind = first_ending_behind(at);
    return behind == covered_.end() || behind->begin >= at + count;
  }

  void cover(Covered lines) {
    auto at = covered_.insert(first_ending_behind(lines.begin), lines);
    Lines sum = at == covered_.begin() ? 0 : std::prev(at)->gained_so_far;
    for (; at != covered_.end(); ++at) at->gained_so_far = sum += at->gained;
  }

  PatchTarget& target_;
  const FilePatch& patch_;
  MatchTier tier_;
  RuleOutcome outcome_;
  std::vector<Covered> covered_;  // in order
};

class PatchRule {
 public:
  PatchRule(PatchTarget& target, const FilePatch& patch, MatchTier tier, std::size_t max_fuzz)
      : target_(target), patch_(patch), tier_(tier), max_fuzz_(max_fuzz) {}

  RuleOutcome run() && {
    for (std::size_t n = 0; n < patch_.hunks.size(); ++n) {
      hunk_ = &patch_.hunks[n];
      shape_ = shape_of(*hunk_);
      expected_ = to_lines(hunk_->old_start - 1) + moved_;
      const std::size_t most = std::min(max_fuzz_, std::max(shape_.leading, shape_.trailing));
      std::optional<Choice> choice;
      for (std::size_t fuzz = 0; fuzz <= most && !choice; ++fuzz) choice = place(fuzz);
      // A place whose first lines are changed already was chosen, but cannot be used.
      if (!choice || choice->at < frozen_) {
        outcome_.failed.push_back(n);
        continue;
      }
      if (shape_.old_lines > 0) moved_ += to_lines(choice->at) - expected_;
      Placement placement = placement_of(n, shape_, choice->at, lead_, trail_, tier_);
      placement.offset = offset_of(*hunk_, choice->at);
      frozen_ = placement.change_end;
      accept(outcome_, std::move(placement), *choice);
    }
    return std::move(outcome_);
  }

 private:
  std::optional<Choice> place(std::size_t fuzz) {
    const Lines context = to_lines(std::max(shape_.leading, shape_.trailing));
    const Lines lead = to_lines(fuzz + shape_.leading) - context;
    const Lines trail = to_lines(fuzz + shape_.trailing) - context;
    const Lines total = to_lines(target_.line_count());
    const Lines size = to_lines(shape_.old_lines);
    lead_ = static_cast<std::size_t>(std::max<Lines>(lead, 0));
    trail_ = static_cast<std::size_t>(std::max<Lines>(trail, 0));
    if (size == 0) {
      // Lines that are added behind the end of the file are added at its end.
      const Lines at = std::clamp<Lines>(expected_, 0, total);
      return Choice{static_cast<std::size_t>(at), true};
    }
    const Lines frozen = to_lines(frozen_);
    if (lead < 0 && hunk_->old_start <= 1) {
      if (frozen > to_lines(shape_.leading) || !matches(0)) return std::nullopt;
      return Choice{0};
    }
    if (trail < 0) {
      const Lines at = total - size;
      if (at < frozen || at < 0 || !matches(static_cast<std::size_t>(at))) return std::nullopt;
      return Choice{static_cast<std::size_t>(at)};
    }
    const Lines last = total - (size - trail);
    if (expected_ >= frozen && expected_ >= 0 && expected_ <= last &&
        matches(static_cast<std::size_t>(expected_)))
      return Choice{static_cast<std::size_t>(expected_)};
    const HunkPattern pattern = target_.old_side(*hunk_, lead_, trail_);
    if (pattern.size() == 0) return std::nullopt;
    std::vector<std::size_t> places;
    // From a line that is changed already, it looks only down, and begins as far above it as it is changed.
    const bool looks_down = expected_ < frozen;
    const Lines first = looks_down ? 2 * expected_ - frozen : frozen;
    for (const std::size_t found : target_.find_all(pattern, tier_)) {
      const Lines at = to_lines(found) - to_lines(lead_);
      if (at >= std::max<Lines>(first, 0) && at <= last) places.push_back(static_cast<std::size_t>(at));
    }
    if (!looks_down || places.empty()) return nearest(places, expected_);
    return Choice{places.front(), false, places.size() - 1};
  }

  bool matches(std::size_t at) {
    const HunkPattern pattern = target_.old_side(*hunk_, lead_, trail_);
    return pattern.size() > 0 && target_.matches(pattern, at + lead_, tier_);
  }

  PatchTarget& target_;
  const FilePatch& patch_;
  MatchTier tier_;
  std::size_t max_fuzz_;
  RuleOutcome outcome_;
  std::size_t frozen_ = 0;  // the end of the last hunk's changes
  Lines moved_ = 0;         // where the last hunk was, compared with its line number

  // The current hunk.
  const Hunk* hunk_ = nullptr;
  HunkShape shape_;
  Lines expected_ = 0;
  std::size_t lead_ = 0;
  std::size_t trail_ = 0;
};

}  // namespace

bool RuleOutcome::is_certain() const {
  return is_whole() && std::ranges::all_of(rivals, [](std::size_t count) { return count == 0; });
}

RuleOutcome apply_git_rule(PatchTarget& target, const FilePatch& patch, MatchTier tier) {
  return GitRule(target, patch, tier).run();
}

RuleOutcome apply_patch_rule(PatchTarget& target, const FilePatch& patch, MatchTier tier,
                             std::size_t max_fuzz) {
  return PatchRule(target, patch, tier, max_fuzz).run();
}

}  // namespace helve::patch
