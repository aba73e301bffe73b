#include "workspace/diff.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "workspace/diff_intern.h"
#include "workspace/diff_regions.h"
#include "workspace/diff_sequence.h"

namespace helve {
namespace {

// One side of a differing region.
struct Side {
  std::string_view text;
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> ids;

  [[nodiscard]] std::size_t line_count() const { return starts.size() - 1; }
  [[nodiscard]] std::string_view line(std::size_t at) const {
    return text.substr(starts[at], starts[at + 1] - starts[at]);
  }
};

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] bool empty() const { return begin == end; }
};
struct Edit {
  Range before;
  Range after;
};

// Old lines get numbers, new lines the number of their equal. Returns how many numbers there are.
std::uint32_t number_lines(Side& before, Side& after) {
  LineInterner interner(before.line_count());
  before.ids.reserve(before.line_count());
  std::vector<std::uint32_t> only_place;  // per number; kNone when the line is there more than once
  only_place.reserve(std::min<std::size_t>(before.line_count(), 1 << 20));
  for (std::size_t at = 0; at < before.line_count(); ++at) {
    before.ids.push_back(interner.intern(before.line(at)));
    if (before.ids.back() == only_place.size()) {
      only_place.push_back(static_cast<std::uint32_t>(at));
    } else {
      only_place[before.ids.back()] = LineInterner::kNone;
    }
  }
  after.ids.reserve(after.line_count());
  std::size_t expected = 0;  // most lines follow each other as they did before: no need to look those up
  for (std::size_t at = 0; at < after.line_count(); ++at) {
    const std::string_view line = after.line(at);
    if (expected < before.line_count() && before.line(expected) == line) {
      after.ids.push_back(before.ids[expected++]);
      continue;
    }
    const std::uint32_t id = interner.find(line);
    after.ids.push_back(id);
    const bool is_certain = id != LineInterner::kNone && only_place[id] != LineInterner::kNone;
    expected = is_certain ? only_place[id] + std::size_t{1} : expected + 1;
  }
  return interner.size();
}

// The lines that have a partner at all: the others are changed without further thought.
struct Candidates {
  std::vector<std::uint32_t> lines;
  std::vector<std::uint32_t> ids;
};

template <class Predicate>
Candidates select(const std::vector<std::uint32_t>& ids, Predicate has_partner) {
  Candidates chosen;
  const auto count = static_cast<std::size_t>(std::ranges::count_if(ids, has_partner));
  chosen.lines.reserve(count);
  chosen.ids.reserve(count);
  for (std::size_t at = 0; at < ids.size(); ++at) {
    if (!has_partner(ids[at])) continue;
    chosen.lines.push_back(static_cast<std::uint32_t>(at));
    chosen.ids.push_back(ids[at]);
  }
  return chosen;
}

std::vector<char> spread(const std::vector<char>& changed, const Candidates& chosen, std::size_t line_count) {
  std::vector<char> all(line_count, 1);
  for (std::size_t at = 0; at < changed.size(); ++at) all[chosen.lines[at]] = changed[at];
  return all;
}

SequenceChanges compare(const Side& before, const Side& after, std::uint32_t kinds) {
  std::vector<char> is_in_after(kinds);
  for (const std::uint32_t id : after.ids) {
    if (id != LineInterner::kNone) is_in_after[id] = 1;
  }
  const Candidates old_lines = select(before.ids, [&](std::uint32_t id) { return is_in_after[id] != 0; });
  const Candidates new_lines = select(after.ids, [](std::uint32_t id) { return id != LineInterner::kNone; });
  const SequenceChanges changes = compare_sequences(old_lines.ids, new_lines.ids, kinds);
  return {spread(changes.removed, old_lines, before.line_count()),
          spread(changes.added, new_lines, after.line_count())};
}

std::vector<Edit> collect(const SequenceChanges& changes) {
  std::vector<Edit> edits;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < changes.removed.size() || j < changes.added.size()) {
    Edit edit{{i, i}, {j, j}};
    while (i < changes.removed.size() && changes.removed[i] != 0) ++i;
    while (j < changes.added.size() && changes.added[j] != 0) ++j;
    edit.before.end = i;
    edit.after.end = j;
    if (!edit.before.empty() || !edit.after.empty()) {
      edits.push_back(edit);
    } else {
      ++i, ++j;
    }
  }
  return edits;
}

constexpr std::size_t kBlank = SIZE_MAX;

std::size_t indent_of(std::string_view line) {
  constexpr std::size_t kDeepest = 40;
  std::size_t columns = 0;
  for (const char c : line.substr(0, kDeepest)) {
    if (c == '\n' || c == '\r') return kBlank;
    if (c != ' ' && c != '\t') break;
    columns += c == '\t' ? 8 : 1;
  }
  return std::min(columns, kDeepest);
}

// How badly a change would be read if one of its ends were before this line: in the middle of an indented
// block, or with a blank line torn from what it follows.
std::size_t badness_of_break(const Side& side, std::size_t at) {
  if (at == 0 || at == side.line_count()) return 0;
  constexpr std::size_t kBlankBehind = 30;
  constexpr std::size_t kNoBlankBefore = 5;
  const std::size_t indent = indent_of(side.line(at));
  if (indent == kBlank) return kBlankBehind;
  const bool after_blank = indent_of(side.line(at - 1)) == kBlank;
  return indent * 2 + (after_blank ? 0 : kNoBlankBefore);
}

// A run of added or removed lines that begins as the text behind it goes on may as well stand a few lines
// further down, or up: finds the place where it reads best, and returns the lines to move by.
std::ptrdiff_t best_shift(const Side& side, Range run, std::size_t room_before, std::size_t room_behind) {
  std::size_t up = 0;
  while (up < room_before && side.ids[run.begin - up - 1] == side.ids[run.end - up - 1]) ++up;
  std::size_t down = 0;
  while (down < room_behind && side.ids[run.begin + down] == side.ids[run.end + down]) ++down;
  std::ptrdiff_t best = 0;
  std::size_t least = SIZE_MAX;
  for (std::size_t step = 0; step <= up + down; ++step) {
    const std::size_t begin = run.begin - up + step;
    const std::size_t badness =
        badness_of_break(side, begin) + badness_of_break(side, begin + (run.end - run.begin));
    if (badness > least) continue;
    least = badness;
    best = static_cast<std::ptrdiff_t>(step) - static_cast<std::ptrdiff_t>(up);
  }
  return best;
}

void shift(Range& range, std::ptrdiff_t by) {
  range.begin += static_cast<std::size_t>(by);
  range.end += static_cast<std::size_t>(by);
}

void slide_to_readable_places(std::vector<Edit>& edits, const Side& before, const Side& after) {
  for (std::size_t at = 0; at < edits.size(); ++at) {
    Edit& edit = edits[at];
    if (!edit.before.empty() && !edit.after.empty()) continue;
    const Side& side = edit.before.empty() ? after : before;
    const Range run = edit.before.empty() ? edit.after : edit.before;
    const std::size_t room_before = edit.before.begin - (at == 0 ? 0 : edits[at - 1].before.end);
    const std::size_t next = at + 1 == edits.size() ? before.line_count() : edits[at + 1].before.begin;
    const std::ptrdiff_t by = best_shift(side, run, room_before, next - edit.before.end);
    shift(edit.before, by);
    shift(edit.after, by);
  }
  std::size_t kept = 0;
  for (std::size_t at = 1; at < edits.size(); ++at) {
    if (edits[at].before.begin == edits[kept].before.end) {
      edits[kept].before.end = edits[at].before.end;
      edits[kept].after.end = edits[at].after.end;
    } else {
      edits[++kept] = edits[at];
    }
  }
  if (!edits.empty()) edits.resize(kept + 1);
}

void append_edits(std::vector<LineEdit>& result, const DiffRegion& region) {
  Side before{region.old_text, line_starts(region.old_text), {}};
  Side after{region.new_text, line_starts(region.new_text), {}};
  std::vector<Edit> edits;
  constexpr std::size_t kMostLines = 0x7FFF'FFFF;
  if (std::max(before.line_count(), after.line_count()) < kMostLines) {
    const std::uint32_t kinds = number_lines(before, after);
    edits = collect(compare(before, after, kinds));
    slide_to_readable_places(edits, before, after);
  } else {
    edits.push_back({{0, before.line_count()}, {0, after.line_count()}});
  }
  const auto span_of = [](const Side& side, Range range, std::size_t line, std::size_t offset) {
    return LineSpan{line + range.begin, range.end - range.begin, offset + side.starts[range.begin],
                    side.starts[range.end] - side.starts[range.begin]};
  };
  result.reserve(result.size() + edits.size());
  for (const Edit& edit : edits) {
    result.push_back({span_of(before, edit.before, region.old_line, region.old_offset),
                      span_of(after, edit.after, region.new_line, region.new_offset)});
  }
}

}  // namespace

std::vector<LineEdit> diff_lines(std::string_view old_text, std::string_view new_text) {
  std::vector<LineEdit> edits;
  for (const DiffRegion& region : find_differing_regions(old_text, new_text)) append_edits(edits, region);
  return edits;
}

}  // namespace helve
