// Extracts from a pattern what every match must contain: short sequences of byte sets that are cheap to
// search for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "regex/hir.h"
#include "search/byte_frequency.h"

namespace helve::search {

// A sequence of byte sets: a case-insensitive "ab" is {a,A} {b,B}.
using Needle = std::vector<ByteSet>;

// Every match contains at least one of `needles`. If there are none, the whole text must be matched.
struct Needles {
  std::vector<Needle> needles;
  // The pattern is an alternation of these needles: a line with a needle has a match.
  bool are_matches = false;
  // The literal text of the pattern if it is one: an occurrence is a match.
  std::string whole_pattern = {};

  [[nodiscard]] bool empty() const { return needles.empty(); }
};

[[nodiscard]] Needles find_needles(const regex::Hir& pattern);

// The rarest `width` adjacent sets of a needle, and their expected occurrences per byte of text.
struct NeedleWindow {
  std::size_t offset = 0;
  double frequency = 1;
};
[[nodiscard]] NeedleWindow rarest_window(const Needle& needle, std::size_t width,
                                         ByteFrequencies& frequencies);

}  // namespace helve::search
