#include "workspace/patch_closest.h"

#include <algorithm>
#include <unordered_map>

#include "base/strings.h"
#include "workspace/diff.h"
#include "workspace/diff_line.h"

namespace helve {
namespace {

constexpr std::size_t kMostDifferencesShown = 5;
constexpr std::size_t kMargin = 3;  // lines around the region that may be part of it

std::size_t distance(std::ptrdiff_t a, std::size_t b) {
  const std::ptrdiff_t gap = a - static_cast<std::ptrdiff_t>(b);
  return static_cast<std::size_t>(gap < 0 ? -gap : gap);
}

// Every file line that equals a line of the hunk, whitespace around it aside, speaks for one start of the
// region; long lines speak louder than lone braces.
std::optional<std::ptrdiff_t> start_by_votes(const PatchTarget& target, const HunkPattern& wanted,
                                             std::size_t stated) {
  constexpr std::size_t kMostRepeats = 8;
  constexpr std::size_t kMostVotes = 200'000;
  LineInterner interner(wanted.size());
  std::vector<std::vector<std::size_t>> indices;
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    const std::string_view text = trim(wanted.lines[n]->text);
    if (text.empty()) continue;
    const std::uint32_t id = interner.intern(text);
    if (id == indices.size()) indices.emplace_back();
    if (indices[id].size() < kMostRepeats) indices[id].push_back(n);
  }
  std::unordered_map<std::ptrdiff_t, std::size_t> votes;
  std::size_t cast = 0;
  for (std::size_t at = 0; at < target.line_count() && cast < kMostVotes; ++at) {
    const std::string_view text = trim(target.line(at));
    if (text.empty()) continue;
    const std::uint32_t id = interner.find(text);
    if (id == LineInterner::kNone) continue;
    for (const std::size_t n : indices[id]) {
      votes[static_cast<std::ptrdiff_t>(at) - static_cast<std::ptrdiff_t>(n)] +=
          1 + std::min<std::size_t>(text.size(), 40);
      ++cast;
    }
  }
  std::optional<std::ptrdiff_t> best;
  std::size_t most = 0;
  for (const auto& [start, count] : votes) {
    const bool is_nearer = best && (distance(start, stated) < distance(*best, stated) ||
                                    (distance(start, stated) == distance(*best, stated) && start < *best));
    if (count < most || (count == most && !is_nearer)) continue;
    best = start;
    most = count;
  }
  return best;
}

// How much of two lines is the same at their beginning and end: 0 to 100.
std::size_t similarity(std::string_view a, std::string_view b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t head = 0;
  while (head < shorter && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  return a.empty() || b.empty() ? 0 : 200 * (head + tail) / (a.size() + b.size());
}

// With no equal line at all: the line most like the hunk's longest.
std::optional<std::ptrdiff_t> start_by_likeness(const PatchTarget& target, const HunkPattern& wanted,
                                                std::size_t stated) {
  constexpr std::size_t kMostLines = 20'000;
  constexpr std::size_t kLeast = 50;
  const auto longest = std::ranges::max_element(
      wanted.lines, {}, [](const PatchLine* line) { return trim(line->text).size(); });
  if (longest == wanted.lines.end()) return std::nullopt;
  const std::string_view text = trim((*longest)->text).substr(0, 400);
  const std::size_t from =
      stated > kMostLines / 2 ? std::min(stated, target.line_count()) - std::min(stated, kMostLines / 2) : 0;
  const std::size_t to = std::min(target.line_count(), from + kMostLines);
  std::optional<std::ptrdiff_t> best;
  std::size_t most = kLeast;
  for (std::size_t at = from; at < to; ++at) {
    const std::size_t likeness = similarity(text, trim(target.line(at)).substr(0, 400));
    if (likeness <= most) continue;
    most = likeness;
    best = static_cast<std::ptrdiff_t>(at) - (longest - wanted.lines.begin());
  }
  return best;
}

// Lines without the whitespace around them, so that those which differ in nothing else are paired.
template <class LineAt>
std::string joined(std::size_t begin, std::size_t end, LineAt line_at) {
  std::string text;
  for (std::size_t at = begin; at < end; ++at) {
    text += trim(line_at(at));
    text += '\n';
  }
  return text;
}

// Pairs the hunk's lines with those of a window of the file.
class Comparison {
 public:
  Comparison(const PatchTarget& target, const HunkPattern& wanted) : target_(target), wanted_(wanted) {}

  ClosestRegion run(std::size_t start, std::size_t window, std::size_t window_end) && {
    const std::string expected =
        joined(0, wanted_.size(), [this](std::size_t n) { return std::string_view(wanted_.lines[n]->text); });
    const std::string found = joined(window, window_end, [this](std::size_t at) { return target_.line(at); });
    const std::vector<LineEdit> edits = diff_lines(expected, found);
    if (edits.size() == 1 && edits.front().before.line_count == wanted_.size()) {
      const std::size_t end = std::min(window_end, start + wanted_.size());
      compare(edits.front().before, start, end);
      region_.first_line = start;
      region_.line_count = end - start;
      return std::move(region_);
    }
    std::size_t begin = window;
    std::size_t end = window_end;
    std::size_t next = 0;
    std::size_t at = window;
    for (const LineEdit& edit : edits) {
      for (; next < edit.before.first_line; ++next, ++at) compare_pair(next, at);
      std::size_t from = at;
      std::size_t to = at + edit.after.line_count;
      at = to;
      // The margin that nothing in the hunk corresponds to is not part of the region.
      const std::size_t surplus =
          edit.after.line_count - std::min(edit.after.line_count, edit.before.line_count);
      if (edit.before.first_line == 0) {
        begin = from += surplus;
      } else if (edit.before.end_line() == wanted_.size()) {
        end = to -= surplus;
      }
      compare(edit.before, from, to);
      next = edit.before.end_line();
    }
    for (; next < wanted_.size(); ++next, ++at) compare_pair(next, at);
    region_.first_line = begin;
    region_.line_count = end - begin;
    return std::move(region_);
  }

 private:
  void compare(const LineSpan& expected, std::size_t from, std::size_t to) {
    for (std::size_t n = expected.first_line; n < expected.end_line(); ++n) {
      if (from < to) {
        compare_pair(n, from++);
      } else {
        add(concat("the file does not have ", quote_line(without_ending(wanted_.lines[n]->text)), " here"));
      }
    }
    for (; from < to; ++from)
      add(concat("line ", from + 1, " is not in the hunk: ", quote_line(without_ending(target_.line(from)))));
  }

  void compare_pair(std::size_t n, std::size_t at) {
    if (region_.differences.size() == kMostDifferencesShown) return;
    const std::string difference =
        describe_line_difference(without_ending(wanted_.lines[n]->text), without_ending(target_.line(at)));
    if (!difference.empty()) add(concat("line ", at + 1, ": ", difference));
  }

  void add(std::string difference) {
    if (region_.differences.size() < kMostDifferencesShown)
      region_.differences.push_back(std::move(difference));
  }

  const PatchTarget& target_;
  const HunkPattern& wanted_;
  ClosestRegion region_;
};

}  // namespace

std::optional<ClosestRegion> find_closest(const PatchTarget& target, const Hunk& hunk, std::size_t stated) {
  const HunkPattern wanted = target.old_side(hunk);
  std::optional<std::ptrdiff_t> start = start_by_votes(target, wanted, stated);
  if (!start) start = start_by_likeness(target, wanted, stated);
  if (!start) return std::nullopt;
  const auto margin = static_cast<std::ptrdiff_t>(kMargin);
  const std::ptrdiff_t end = *start + static_cast<std::ptrdiff_t>(wanted.size()) + margin;
  const auto window = static_cast<std::size_t>(std::max<std::ptrdiff_t>(*start - margin, 0));
  const std::size_t window_end =
      std::min(target.line_count(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(end, 0)));
  const auto first = static_cast<std::size_t>(std::max<std::ptrdiff_t>(*start, 0));
  return Comparison(target, wanted).run(first, window, window_end);
}

}  // namespace helve
