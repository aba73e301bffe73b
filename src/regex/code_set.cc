#include "regex/code_set.h"

#include <algorithm>

namespace helve::regex {

CodeSet::CodeSet(std::span<const CodeRange> ranges) : ranges_(ranges.begin(), ranges.end()) { normalise(); }

// Establishes the class invariant: sorted, merged, without adjacent ranges.
void CodeSet::normalise() {
  std::ranges::sort(ranges_, {}, &CodeRange::first);
  std::size_t kept = 0;
  for (const CodeRange& range : ranges_) {
    if (kept > 0 && range.first <= ranges_[kept - 1].last + 1) {
      ranges_[kept - 1].last = std::max(ranges_[kept - 1].last, range.last);
    } else {
      ranges_[kept++] = range;
    }
  }
  ranges_.resize(kept);
}

void CodeSet::add(CodeRange range) {
  if (ranges_.empty() || range.first > ranges_.back().last + 1) {  // the common case: append at the end
    ranges_.push_back(range);
    return;
  }
  const auto touched_from =
      std::ranges::lower_bound(ranges_, range.first, {}, [](const CodeRange& one) { return one.last + 1; });
  auto touched_to = touched_from;
  while (touched_to != ranges_.end() && touched_to->first <= range.last + 1) {
    range.first = std::min(range.first, touched_to->first);
    range.last = std::max(range.last, touched_to->last);
    ++touched_to;
  }
  if (touched_from == touched_to) {
    ranges_.insert(touched_from, range);
  } else {
    *touched_from = range;
    ranges_.erase(touched_from + 1, touched_to);
  }
}

void CodeSet::add(const CodeSet& other) {
  std::vector<CodeRange> merged;
  merged.reserve(ranges_.size() + other.ranges_.size());
  std::ranges::merge(ranges_, other.ranges_, std::back_inserter(merged), {}, &CodeRange::first,
                     &CodeRange::first);
  ranges_ = std::move(merged);
  normalise();
}

CodeSet CodeSet::intersection(const CodeSet& other) const {
  CodeSet common;
  auto left = ranges_.begin();
  auto right = other.ranges_.begin();
  while (left != ranges_.end() && right != other.ranges_.end()) {
    const char32_t first = std::max(left->first, right->first);
    const char32_t last = std::min(left->last, right->last);
    if (first <= last) common.ranges_.push_back({first, last});
    if (left->last < right->last) {
      ++left;
    } else {
      ++right;
    }
  }
  return common;
}

CodeSet CodeSet::difference(const CodeSet& other) const { return intersection(other.complement()); }

CodeSet CodeSet::symmetric_difference(const CodeSet& other) const {
  CodeSet either = difference(other);
  either.add(other.difference(*this));
  return either;
}

CodeSet CodeSet::complement() const {
  CodeSet rest;
  rest.ranges_.reserve(ranges_.size() + 1);
  char32_t next = 0;
  for (const CodeRange& range : ranges_) {
    if (range.first > next) rest.ranges_.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kLastCodePoint) rest.ranges_.push_back({next, kLastCodePoint});
  return rest;
}

bool CodeSet::contains(char32_t code) const {
  const auto range = std::ranges::lower_bound(ranges_, code, {}, &CodeRange::last);
  return range != ranges_.end() && range->first <= code;
}

std::size_t CodeSet::size() const {
  std::size_t codes = 0;
  for (const CodeRange& range : ranges_) codes += range.last - range.first + 1;
  return codes;
}

}  // namespace helve::regex
