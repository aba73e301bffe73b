#include "patch/diff_sequence.h"

#include <algorithm>
#include <array>
#include <limits>
#include <ranges>

namespace helve::patch {
namespace {

// Rounds of searching for unique elements in what earlier rounds left; each is linear.
constexpr std::uint32_t kMaxDepth = 12;
// Steps from either corner of a box after which the search for a shortest path gives up.
constexpr std::int64_t kCostLimit = 256;

// A part of both sequences to be compared: before[left, right) with after[top, bottom).
struct Box {
  std::uint32_t left, right;
  std::uint32_t top, bottom;
  std::uint32_t depth;

  [[nodiscard]] std::uint32_t width() const { return right - left; }
  [[nodiscard]] std::uint32_t height() const { return bottom - top; }
};

// Uses patience diff anchors if there are any, otherwise Myers' middle snakes.
class SequenceDiff {
 public:
  SequenceDiff(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after,
               std::uint32_t kinds)
      : before_(before), after_(after), tallies_(kinds) {
    const std::size_t total = before.size() + after.size();
    budget_ = 200'000'000 + 8 * static_cast<std::int64_t>(total);
    anchors_.reserve(std::min<std::size_t>({before.size(), after.size(), 1 << 20}));
    chain_ends_.reserve(anchors_.capacity());
    changes_.removed.resize(before.size());
    changes_.added.resize(after.size());
  }

  SequenceChanges run() && {
    push({0, static_cast<std::uint32_t>(before_.size()), 0, static_cast<std::uint32_t>(after_.size()), 0});
    while (!boxes_.empty()) {
      Box box = boxes_.back();
      boxes_.pop_back();
      trim(box);
      if (mark_if_simple(box)) continue;
      if (box.depth < kMaxDepth && split_at_anchors(box)) continue;
      split_at_cheapest(box);
    }
    return std::move(changes_);
  }

 private:
  struct Tally {
    std::uint32_t in_before = 0;
    std::uint32_t in_after = 0;
    std::uint32_t after_at = 0;
  };
  struct Anchor {
    std::uint32_t before_at;
    std::uint32_t after_at;
    std::uint32_t previous;  // index of the anchor below it in the chain
  };
  // Whether the paths met, or how far one of them got.
  enum class Reach { kMet, kForward, kBackward };
  struct Point {
    std::int64_t x, y;
    Reach reach;
  };

  void push(const Box& box) {
    if (box.width() > 0 && box.height() > 0) {
      boxes_.push_back(box);
    } else {
      mark(box);
    }
  }

  void mark(const Box& box) {
    std::fill(changes_.removed.begin() + box.left, changes_.removed.begin() + box.right, 1);
    std::fill(changes_.added.begin() + box.top, changes_.added.begin() + box.bottom, 1);
  }

  void trim(Box& box) const {
    while (box.left < box.right && box.top < box.bottom && before_[box.left] == after_[box.top])
      ++box.left, ++box.top;
    while (box.left < box.right && box.top < box.bottom && before_[box.right - 1] == after_[box.bottom - 1])
      --box.right, --box.bottom;
  }

  bool mark_if_simple(const Box& box) {
    if (box.width() == 0 || box.height() == 0 || budget_ < 0) {
      mark(box);
      return true;
    }
    if (box.width() > 1 && box.height() > 1) return false;
    mark(box);
    if (box.width() == 1) {
      const auto column = after_.subspan(box.top, box.height());
      const auto found = std::ranges::find(column, before_[box.left]);
      if (found != column.end()) {
        changes_.removed[box.left] = 0;
        changes_.added[box.top + static_cast<std::size_t>(found - column.begin())] = 0;
      }
    } else {
      const auto row = before_.subspan(box.left, box.width());
      const auto found = std::ranges::find(row, after_[box.top]);
      if (found != row.end()) {
        changes_.added[box.top] = 0;
        changes_.removed[box.left + static_cast<std::size_t>(found - row.begin())] = 0;
      }
    }
    return true;
  }

  // Matches elements that occur once on each side, in the longest common order.
  bool split_at_anchors(const Box& box) {
    find_unique(box);
    if (!has_common_) {
      mark(box);
      return true;
    }
    if (anchors_.empty()) return false;
    keep_longest_chain();
    Box gap{box.left, 0, box.top, 0, box.depth + 1};
    for (const Anchor& anchor : anchors_) {
      gap.right = anchor.before_at;
      gap.bottom = anchor.after_at;
      push(gap);
      gap.left = anchor.before_at + 1;
      gap.top = anchor.after_at + 1;
    }
    gap.right = box.right;
    gap.bottom = box.bottom;
    push(gap);
    return true;
  }

  void find_unique(const Box& box) {
    for (std::uint32_t at = box.top; at < box.bottom; ++at) {
      Tally& tally = tallies_[after_[at]];
      ++tally.in_after;
      tally.after_at = at;
    }
    for (std::uint32_t at = box.left; at < box.right; ++at) ++tallies_[before_[at]].in_before;
    anchors_.clear();
    has_common_ = false;
    for (std::uint32_t at = box.left; at < box.right; ++at) {
      const Tally& tally = tallies_[before_[at]];
      has_common_ |= tally.in_after > 0;
      if (tally.in_before == 1 && tally.in_after == 1) anchors_.push_back({at, tally.after_at, 0});
    }
    for (std::uint32_t at = box.top; at < box.bottom; ++at) tallies_[after_[at]] = {};
    for (std::uint32_t at = box.left; at < box.right; ++at) tallies_[before_[at]] = {};
  }

  // Anchors are ordered by before_at; keeps a longest subsequence that also ascends in after_at.
  void keep_longest_chain() {
    chain_ends_.clear();  // chain_ends_[n]: the anchor with the least after_at that ends a chain of n + 1
    for (std::uint32_t at = 0; at < anchors_.size(); ++at) {
      Anchor& anchor = anchors_[at];
      auto place = chain_ends_.end();
      if (!chain_ends_.empty() && anchors_[chain_ends_.back()].after_at > anchor.after_at) {
        place = std::ranges::lower_bound(chain_ends_, anchor.after_at, {},
                                         [this](std::uint32_t end) { return anchors_[end].after_at; });
      }
      if (place != chain_ends_.begin()) anchor.previous = *(place - 1);
      if (place == chain_ends_.end()) {
        chain_ends_.push_back(at);
      } else {
        *place = at;
      }
    }
    if (chain_ends_.size() == anchors_.size()) return;
    std::uint32_t at = chain_ends_.back();
    for (std::uint32_t& link : chain_ends_ | std::views::reverse) {
      link = at;
      at = anchors_[at].previous;
    }
    for (std::size_t n = 0; n < chain_ends_.size(); ++n) anchors_[n] = anchors_[chain_ends_[n]];
    anchors_.resize(chain_ends_.size());
  }

  void split_at_cheapest(const Box& box) {
    const Point point = find_split(box);
    const bool at_corner =
        (point.x == 0 && point.y == 0) || (point.x == box.width() && point.y == box.height());
    if (at_corner) return mark(box);  // cannot happen in a trimmed box, but would not terminate
    const auto middle = static_cast<std::uint32_t>(box.left + point.x);
    const auto level = static_cast<std::uint32_t>(box.top + point.y);
    // The part on a known shortest path needs no more anchors; beyond it they may help.
    const bool is_met = point.reach == Reach::kMet;
    const std::uint32_t fresh = box.depth + 1;
    push({box.left, middle, box.top, level, is_met || point.reach == Reach::kForward ? kMaxDepth : fresh});
    push({middle, box.right, level, box.bottom,
          is_met || point.reach == Reach::kBackward ? kMaxDepth : fresh});
  }

  // Walks from both corners along the furthest-reaching paths until they meet (Myers 1986) or the limit is
  // reached; then it returns the point that got furthest.
  Point find_split(const Box& box) {
    const std::uint32_t* const before = before_.data() + box.left;
    const std::uint32_t* const after = after_.data() + box.top;
    const std::int64_t width = box.width();
    const std::int64_t height = box.height();
    const std::int64_t delta = width - height;
    const bool meets_forward = delta % 2 != 0;
    // Furthest x per diagonal x - y, counted from the corner where the walk began.
    const auto forward = [this](std::int64_t k) -> std::int64_t& {
      return forward_[static_cast<std::size_t>(kCostLimit + 2 + k)];
    };
    const auto backward = [this, delta](std::int64_t k) -> std::int64_t& {
      return backward_[static_cast<std::size_t>(kCostLimit + 2 + k - delta)];
    };
    std::int64_t low = 0, high = 0;
    std::int64_t back_low = delta, back_high = delta;
    forward(0) = 0;
    backward(delta) = width;
    for (std::int64_t cost = 1;; ++cost) {
      std::int64_t steps = 0;
      if (low > -height)
        forward(--low - 1) = -1;
      else
        ++low;
      if (high < width)
        forward(++high + 1) = -1;
      else
        --high;
      for (std::int64_t k = high; k >= low; k -= 2) {
        const std::int64_t start = forward(k - 1) >= forward(k + 1) ? forward(k - 1) + 1 : forward(k + 1);
        std::int64_t x = start;
        while (x < width && x - k < height && before[x] == after[x - k]) ++x;
        forward(k) = x;
        steps += 1 + x - start;
        if (meets_forward && k >= back_low && k <= back_high && backward(k) <= x)
          return inside(x, x - k, width, height, Reach::kMet);
      }
      if (back_low > -height)
        backward(--back_low - 1) = kFar;
      else
        ++back_low;
      if (back_high < width)
        backward(++back_high + 1) = kFar;
      else
        --back_high;
      for (std::int64_t k = back_high; k >= back_low; k -= 2) {
        const std::int64_t start = backward(k - 1) < backward(k + 1) ? backward(k - 1) : backward(k + 1) - 1;
        std::int64_t x = start;
        while (x > 0 && x - k > 0 && before[x - 1] == after[x - k - 1]) --x;
        backward(k) = x;
        steps += 1 + start - x;
        if (!meets_forward && k >= low && k <= high && x <= forward(k))
          return inside(x, x - k, width, height, Reach::kMet);
      }
      budget_ -= steps;
      if (cost < kCostLimit && budget_ >= 0) continue;
      Point best{0, 0, Reach::kForward};
      for (std::int64_t k = high; k >= low; k -= 2) {
        const Point point = inside(forward(k), forward(k) - k, width, height, Reach::kForward);
        if (point.x + point.y > best.x + best.y) best = point;
      }
      std::int64_t gained = best.x + best.y;
      for (std::int64_t k = back_high; k >= back_low; k -= 2) {
        const Point point = inside(backward(k), backward(k) - k, width, height, Reach::kBackward);
        if (width + height - point.x - point.y <= gained) continue;
        gained = width + height - point.x - point.y;
        best = point;
      }
      return best;
    }
  }

  // Paths may step one beyond the edge before their diagonal is dropped.
  static Point inside(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height, Reach reach) {
    return {std::clamp<std::int64_t>(x, 0, width), std::clamp<std::int64_t>(y, 0, height), reach};
  }

  static constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();

  std::span<const std::uint32_t> before_;
  std::span<const std::uint32_t> after_;
  SequenceChanges changes_;
  std::vector<Box> boxes_;
  std::vector<Tally> tallies_;
  std::vector<Anchor> anchors_;
  bool has_common_ = false;  // an element of the last box occurs on both sides
  std::vector<std::uint32_t> chain_ends_;
  std::array<std::int64_t, 2 * kCostLimit + 5> forward_;
  std::array<std::int64_t, 2 * kCostLimit + 5> backward_;
  std::int64_t budget_ = 0;  // total steps left; when it is used up, the rest counts as replaced
};

}  // namespace

SequenceChanges compare_sequences(std::span<const std::uint32_t> before, std::span<const std::uint32_t> after,
                                  std::uint32_t kinds) {
  return SequenceDiff(before, after, kinds).run();
}

}  // namespace helve::patch
