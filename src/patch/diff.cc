#include "patch/diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "patch/diff_intern.h"
#include "patch/diff_sequence.h"
#include "text/text_match.h"

namespace helve::patch {
namespace {

// Whole lines of both texts to be compared, with some common lines around them over which edits may slide.
struct DiffRegion {
  std::size_t old_line = 0;  // counting from 0
  std::size_t new_line = 0;
  std::size_t old_offset = 0;
  std::size_t new_offset = 0;
  std::string_view old_text;
  std::string_view new_text;
};

// Common lines kept around a region.
constexpr std::size_t kMarginLines = 100;
constexpr std::size_t kMarginBytes = 64UL * 1024;
// How far to search after a difference for the next common place.
constexpr std::size_t kWindowLines = 64;
constexpr std::size_t kWindowBytes = 256UL * 1024;
// This many equal lines make a common place; more than two margins of them end a region.
constexpr std::size_t kSureLines = 8;
// With more small differences than this in one region, the rest is compared as a whole.
constexpr std::size_t kMostDifferences = 64;

std::size_t previous_line(std::string_view text, std::size_t at) {
  if (at < 2) return 0;
  const std::size_t found = text.rfind('\n', at - 2);
  return found == std::string_view::npos ? 0 : found + 1;
}

std::size_t next_line(std::string_view text, std::size_t at) {
  const std::size_t found = text.find('\n', at);
  return found == std::string_view::npos ? text.size() : found + 1;
}

// A line start in both texts.
struct LinePair {
  std::size_t old_offset = 0;
  std::size_t new_offset = 0;
  std::size_t old_line = 0;
  std::size_t new_line = 0;
};

class RegionFinder {
 public:
  RegionFinder(std::string_view old_text, std::string_view new_text)
      : old_text_(old_text), new_text_(new_text) {}

  std::vector<DiffRegion> run() && {
    std::optional<LinePair> begin;  // of the open region
    std::size_t differences = 0;
    while (true) {
      const LinePair start = at_;
      skip_common_lines();
      const bool is_end = at_.old_offset == old_text_.size() && at_.new_offset == new_text_.size();
      if (begin && (is_end || at_.old_line - start.old_line > 2 * kMarginLines)) {
        close(*begin, start);
        begin.reset();
      }
      if (is_end) return std::move(regions_);
      if (!begin) {
        begin = at_;
        differences = 0;
      }
      if (++differences > kMostDifferences || !skip_difference()) {
        close(*begin, common_tail());
        return std::move(regions_);
      }
    }
  }

 private:
  void skip_common_lines() {
    const std::string_view old_rest = old_text_.substr(at_.old_offset);
    const std::string_view new_rest = new_text_.substr(at_.new_offset);
    std::size_t common = text::common_prefix(old_rest, new_rest);
    if (common < old_rest.size() || common < new_rest.size()) {
      const std::size_t found = common == 0 ? std::string_view::npos : old_rest.rfind('\n', common - 1);
      common = found == std::string_view::npos ? 0 : found + 1;
    }
    move(common, common);
  }

  void move(std::size_t old_bytes, std::size_t new_bytes) {
    const std::string_view old_lines = old_text_.substr(at_.old_offset, old_bytes);
    const std::string_view new_lines = new_text_.substr(at_.new_offset, new_bytes);
    const std::size_t breaks = count_line_breaks(old_lines);
    at_.old_line += breaks;
    at_.new_line += old_lines == new_lines ? breaks : count_line_breaks(new_lines);
    at_.old_offset += old_bytes;
    at_.new_offset += new_bytes;
  }

  // The offsets of the next lines, including the first and the end of the last.
  static std::vector<std::size_t> window(std::string_view text, std::size_t from) {
    std::vector<std::size_t> starts{from};
    while (starts.size() <= kWindowLines && starts.back() < text.size() &&
           starts.back() - from < kWindowBytes)
      starts.push_back(next_line(text, starts.back()));
    return starts;
  }

  // Moves to the nearest common place; false when there is none within the limit.
  bool skip_difference() {
    const std::vector<std::size_t> old_starts = window(old_text_, at_.old_offset);
    const std::vector<std::size_t> new_starts = window(new_text_, at_.new_offset);
    for (std::size_t skipped = 1; skipped <= old_starts.size() + new_starts.size() - 2; ++skipped) {
      const std::size_t least = skipped - std::min(skipped, new_starts.size() - 1);
      for (std::size_t n = least; n <= std::min(skipped, old_starts.size() - 1); ++n) {
        if (!goes_on_alike(old_starts[n], new_starts[skipped - n])) continue;
        move(old_starts[n] - at_.old_offset, new_starts[skipped - n] - at_.new_offset);
        return true;
      }
    }
    return false;
  }

  bool goes_on_alike(std::size_t old_at, std::size_t new_at) {
    for (std::size_t line = 0; line < kSureLines; ++line) {
      if (comparisons_left_ == 0) return false;
      --comparisons_left_;
      if (old_at == old_text_.size() && new_at == new_text_.size()) return true;
      if (old_at == old_text_.size() || new_at == new_text_.size() || old_text_[old_at] != new_text_[new_at])
        return false;
      const std::size_t size = next_line(old_text_, old_at) - old_at;
      if (old_text_.substr(old_at, size) != new_text_.substr(new_at, size)) return false;
      // A last line without newline must not match the start of a longer line.
      if (old_text_[old_at + size - 1] != '\n' && new_at + size != new_text_.size()) return false;
      old_at += size;
      new_at += size;
    }
    return true;
  }

  // The start of the common lines at the end of both texts, after the place reached.
  [[nodiscard]] LinePair common_tail() const {
    const std::string_view old_rest = old_text_.substr(at_.old_offset);
    const std::string_view new_rest = new_text_.substr(at_.new_offset);
    std::size_t common = text::common_suffix(old_rest, new_rest);
    const auto starts_line = [common](std::string_view text) {
      return common == text.size() || text[text.size() - common - 1] == '\n';
    };
    if (!starts_line(old_rest) || !starts_line(new_rest)) {
      const std::size_t tail = old_rest.size() - common;
      common -= next_line(old_rest, tail) - tail;
    }
    return {old_text_.size() - common, new_text_.size() - common, 0, 0};
  }

  // The margins are common to both texts, so they have the same length in both.
  void close(const LinePair& begin, const LinePair& end) {
    std::size_t first = begin.old_offset;
    std::size_t lines_before = 0;
    while (lines_before < kMarginLines && first > 0 && begin.old_offset - first < kMarginBytes) {
      const std::size_t previous = previous_line(old_text_, first);
      if (begin.old_offset - previous > begin.new_offset) break;
      first = previous;
      ++lines_before;
    }
    const std::size_t head = begin.old_offset - first;
    std::size_t last = end.old_offset;
    for (std::size_t line = 0;
         line < kMarginLines && last < old_text_.size() && last - end.old_offset < kMarginBytes; ++line)
      last = next_line(old_text_, last);
    const std::size_t tail = last - end.old_offset;
    DiffRegion region{begin.old_line - lines_before,
                      begin.new_line - lines_before,
                      begin.old_offset - head,
                      begin.new_offset - head,
                      {},
                      {}};
    region.old_text = old_text_.substr(region.old_offset, end.old_offset + tail - region.old_offset);
    region.new_text = new_text_.substr(region.new_offset, end.new_offset + tail - region.new_offset);
    regions_.push_back(region);
  }

  std::string_view old_text_;
  std::string_view new_text_;
  LinePair at_;
  std::size_t comparisons_left_ = 2'000'000;
  std::vector<DiffRegion> regions_;
};

// Splits two texts into the regions that differ, at the speed of memcmp. In order, at least one common line
// apart. If changes are dense or large, one region contains all the rest.
std::vector<DiffRegion> find_differing_regions(std::string_view old_text, std::string_view new_text) {
  return RegionFinder(old_text, new_text).run();
}

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

// Numbers the old lines; new lines get the number of an equal old one. Returns the number of numbers.
std::uint32_t number_lines(Side& before, Side& after) {
  LineInterner interner(before.line_count());
  before.ids.reserve(before.line_count());
  std::vector<std::uint32_t> only_place;  // per number; kNone when the line occurs more than once
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
  std::size_t expected = 0;  // most lines follow the same line as before, which saves the lookup
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

// Only the lines that occur on both sides; the others are certainly changed.
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

// How hard a change is to read if it starts or ends before this line: in the middle of an indented block, or
// with a blank line separated from what it follows.
std::size_t badness_of_break(const Side& side, std::size_t at) {
  if (at == 0 || at == side.line_count()) return 0;
  constexpr std::size_t kBlankBehind = 30;
  constexpr std::size_t kNoBlankBefore = 5;
  const std::size_t indent = indent_of(side.line(at));
  if (indent == kBlank) return kBlankBehind;
  const bool after_blank = indent_of(side.line(at - 1)) == kBlank;
  return indent * 2 + (after_blank ? 0 : kNoBlankBefore);
}

// A run of added or removed lines can often slide up or down without changing the result. Finds the most
// readable place and returns the number of lines to move by.
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

}  // namespace helve::patch
