// Compares two sequences of numbers: the core of the line diff.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace helve::patch {

struct SequenceChanges {
  std::vector<char> removed;  // per element of `before`: 1 when it has no partner in `after`
  std::vector<char> added;    // the same for `after`
};

// The unmarked elements are a long common subsequence, anchored at numbers that are unique on both sides. All
// numbers must be below `kinds`. Fewer than 2^31 elements on each side.
[[nodiscard]] SequenceChanges compare_sequences(std::span<const std::uint32_t> before,
                                                std::span<const std::uint32_t> after, std::uint32_t kinds);

}  // namespace helve::patch
