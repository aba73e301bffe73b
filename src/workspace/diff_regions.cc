#include "workspace/diff_regions.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "workspace/common_ends.h"
#include "workspace/diff_intern.h"

namespace helve {
namespace {

// Common lines around a region that stay in view.
constexpr std::size_t kMarginLines = 100;
constexpr std::size_t kMarginBytes = 64UL * 1024;
// Behind a difference the texts are searched so far for a place from which they go on alike.
constexpr std::size_t kWindowLines = 64;
constexpr std::size_t kWindowBytes = 256UL * 1024;
// So many equal lines make such a place; more than two margins of them end a region.
constexpr std::size_t kSureLines = 8;
// More small differences than this in one region: better compared all at once.
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
    std::optional<LinePair> begin;  // of the region that is open
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
    std::size_t common = common_prefix(old_rest, new_rest);
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

  // Starts of the lines from here on, the first and the end of the last included.
  static std::vector<std::size_t> window(std::string_view text, std::size_t from) {
    std::vector<std::size_t> starts{from};
    while (starts.size() <= kWindowLines && starts.back() < text.size() &&
           starts.back() - from < kWindowBytes)
      starts.push_back(next_line(text, starts.back()));
    return starts;
  }

  // Moves to the nearest place from which the texts go on alike; false when there is none in sight.
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
      // A last line without its newline is not the start of a longer one.
      if (old_text_[old_at + size - 1] != '\n' && new_at + size != new_text_.size()) return false;
      old_at += size;
      new_at += size;
    }
    return true;
  }

  // Where the lines begin that both texts share at their end, behind the place reached.
  [[nodiscard]] LinePair common_tail() const {
    const std::string_view old_rest = old_text_.substr(at_.old_offset);
    const std::string_view new_rest = new_text_.substr(at_.new_offset);
    std::size_t common = common_suffix(old_rest, new_rest);
    const auto starts_line = [common](std::string_view text) {
      return common == text.size() || text[text.size() - common - 1] == '\n';
    };
    if (!starts_line(old_rest) || !starts_line(new_rest)) {
      const std::size_t tail = old_rest.size() - common;
      common -= next_line(old_rest, tail) - tail;
    }
    return {old_text_.size() - common, new_text_.size() - common, 0, 0};
  }

  // The margins are common to both texts, hence as long in one as in the other.
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

}  // namespace

std::vector<DiffRegion> find_differing_regions(std::string_view old_text, std::string_view new_text) {
  return RegionFinder(old_text, new_text).run();
}

}  // namespace helve
