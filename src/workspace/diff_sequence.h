// Compares two sequences of numbers: the heart of the line diff.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace helve {

struct SequenceChanges {
  std::vector<char> removed;  // per element of `before`: 1 when it has no partner in `after`
  std::vector<char> added;    // and the other way round
};

// What is left unmarked is a common subsequence: long, and where numbers are unique on both sides, anchored
// at them. All numbers must be below `kinds`. Fewer than 2^31 elements on each side.
[[nodiscard]] SequenceChanges compare_sequences(std::span<const std::uint32_t> before,
                                                std::span<const std::uint32_t> after, std::uint32_t kinds);

}  // namespace helve
