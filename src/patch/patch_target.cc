#include "patch/patch_target.h"

#include <algorithm>

#include "base/strings.h"
#include "patch/diff_line.h"
#include "text/text_match.h"

namespace helve::patch {
namespace {

std::size_t line_count_of(const FilePatch& patch) {
  std::size_t count = 0;
  for (const Hunk& hunk : patch.hunks) count += hunk.lines.size();
  return count;
}

std::string form_of(std::string_view line, MatchTier tier) {
  switch (tier) {
    case MatchTier::kExact: return std::string(without_ending(line));
    case MatchTier::kSurroundingSpace: return std::string(trim(line));
    case MatchTier::kPunctuation: return std::string(trim(plain_punctuation(line)));
    default: return std::string(without_trailing_space(line));
  }
}

}  // namespace

PatchTarget::PatchTarget(std::string_view text, const FilePatch& patch)
    : text_(text), starts_(line_starts(text)), interner_(line_count_of(patch)) {
  for (const Hunk& hunk : patch.hunks) {
    for (const PatchLine& line : hunk.lines) interner_.intern(without_trailing_space(line.text));
  }
  ids_.reserve(line_count());
  first_place_.resize(interner_.size() + std::size_t{2});
  for (std::size_t at = 0; at < line_count(); ++at) {
    ids_.push_back(interner_.find(without_trailing_space(line(at))));
    if (ids_.back() != LineInterner::kNone) ++first_place_[ids_.back() + std::size_t{2}];
  }
  for (std::size_t id = 2; id < first_place_.size(); ++id) first_place_[id] += first_place_[id - 1];
  places_.resize(first_place_.back());
  // Filling advances each start to the next one, so the starts are stored one position later.
  for (std::size_t at = 0; at < ids_.size(); ++at) {
    if (ids_[at] != LineInterner::kNone)
      places_[first_place_[ids_[at] + std::size_t{1}]++] = static_cast<std::uint32_t>(at);
  }
  work_left_ = 20'000'000 + 16 * static_cast<std::int64_t>(line_count() + line_count_of(patch));
}

std::span<const std::uint32_t> PatchTarget::places_of(std::uint32_t id) const {
  return std::span(places_).subspan(first_place_[id], first_place_[id + std::size_t{1}] - first_place_[id]);
}

void PatchTarget::add_lines(HunkPattern& pattern, const Hunk& hunk, char left_out) const {
  for (const PatchLine& line : hunk.lines) {
    if (line.op == left_out) continue;
    pattern.lines.push_back(&line);
    pattern.ids.push_back(interner_.find(without_trailing_space(line.text)));
    pattern.ends_file |= !line.has_newline;
  }
}

HunkPattern PatchTarget::old_side(const Hunk& hunk, std::size_t lead, std::size_t trail) const {
  HunkPattern pattern;
  add_lines(pattern, hunk, '+');
  const auto drop = [&](auto& items) {
    items.erase(items.end() - static_cast<std::ptrdiff_t>(trail), items.end());
    items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(lead));
  };
  if (trail > 0) pattern.ends_file = false;
  drop(pattern.lines);
  drop(pattern.ids);
  return pattern;
}

HunkPattern PatchTarget::new_side(const Hunk& hunk) const {
  HunkPattern pattern;
  add_lines(pattern, hunk, '-');
  return pattern;
}

bool PatchTarget::same(std::size_t at, const PatchLine& wanted, MatchTier tier) {
  const std::string_view found = line(at);
  work_left_ -= 1 + static_cast<std::int64_t>(found.size() / 32);
  const bool has_newline = found.ends_with('\n');
  if (tier == MatchTier::kExact)
    return has_newline == wanted.has_newline &&
           found.substr(0, found.size() - (has_newline ? 1 : 0)) == wanted.text;
  if (tier == MatchTier::kTrailingSpace && wanted.op == ' ')
    return without_trailing_space(found) == without_trailing_space(wanted.text);
  return without_ending(found) == without_ending(wanted.text);
}

bool PatchTarget::matches(const HunkPattern& pattern, std::size_t at, MatchTier tier) {
  if (at > line_count() || line_count() - at < pattern.size()) return false;
  if (pattern.ends_file && at + pattern.size() != line_count()) return false;
  for (std::size_t n = 0; n < pattern.size(); ++n) {
    if (is_exhausted() || ids_[at + n] != pattern.ids[n] || !same(at + n, *pattern.lines[n], tier))
      return false;
  }
  return true;
}

std::vector<std::size_t> PatchTarget::find_forms(const HunkPattern& pattern, MatchTier tier) {
  work_left_ -= static_cast<std::int64_t>(text_.size() / 8 + line_count());
  if (is_exhausted()) return {};
  const auto [forms, is_new] = forms_.try_emplace(tier);
  if (is_new)
    for (std::size_t at = 0; at < line_count(); ++at) forms->second.push_back(form_of(line(at), tier));
  std::vector<std::string> wanted;
  for (const PatchLine* line : pattern.lines) wanted.push_back(form_of(line->text, tier));
  std::vector<std::size_t> found =
      text::find_runs(std::span<const std::string>(forms->second), std::span<const std::string>(wanted));
  if (pattern.ends_file)
    std::erase_if(found, [&](std::size_t at) { return at + pattern.size() != line_count(); });
  return found;
}

std::vector<std::size_t> PatchTarget::find_all(const HunkPattern& pattern, MatchTier tier) {
  if (tier >= MatchTier::kAnyTrailingSpace) return find_forms(pattern, tier);
  std::vector<std::size_t> found;
  const auto rarest =
      std::ranges::min_element(pattern.ids, {}, [this](std::uint32_t id) { return places_of(id).size(); });
  const auto shift = static_cast<std::size_t>(rarest - pattern.ids.begin());
  const std::span<const std::uint32_t> places = places_of(*rarest);
  if (places.size() * pattern.size() <= 4 * (line_count() + pattern.size())) {
    work_left_ -= static_cast<std::int64_t>(places.size());
    for (const std::uint32_t place : places) {
      if (place >= shift && matches(pattern, place - shift, tier)) found.push_back(place - shift);
    }
    return found;
  }
  for (const std::size_t at : find_ids(pattern.ids)) {
    if (matches(pattern, at, tier)) found.push_back(at);
  }
  return found;
}

// Knuth, Morris and Pratt, for patterns whose lines are all frequent.
std::vector<std::size_t> PatchTarget::find_ids(std::span<const std::uint32_t> wanted) {
  std::vector<std::uint32_t> border(wanted.size());
  for (std::size_t at = 1, length = 0; at < wanted.size(); ++at) {
    while (length > 0 && wanted[at] != wanted[length]) length = border[length - 1];
    length += wanted[at] == wanted[length] ? 1 : 0;
    border[at] = static_cast<std::uint32_t>(length);
  }
  std::vector<std::size_t> found;
  for (std::size_t at = 0, length = 0; at < ids_.size(); ++at) {
    while (length > 0 && ids_[at] != wanted[length]) length = border[length - 1];
    length += ids_[at] == wanted[length] ? 1 : 0;
    if (length < wanted.size()) continue;
    found.push_back(at + 1 - length);
    length = border[length - 1];
  }
  work_left_ -= static_cast<std::int64_t>(ids_.size() + wanted.size());
  return found;
}

std::vector<std::size_t> PatchTarget::find_anchor(std::string_view anchor, std::size_t from) {
  const PatchLine line{' ', std::string(anchor)};
  HunkPattern pattern{.lines = {&line}};
  for (const MatchTier tier : {MatchTier::kExact, MatchTier::kAnyTrailingSpace, MatchTier::kSurroundingSpace,
                               MatchTier::kPunctuation}) {
    std::vector<std::size_t> found = find_forms(pattern, tier);
    found.erase(found.begin(), std::ranges::lower_bound(found, from));
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace helve::patch
