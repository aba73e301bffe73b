// What every match of a pattern must contain: short runs of byte classes, cheap to look for in large texts.
#pragma once

#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "regex/hir.h"

namespace helve::search {

using ByteSet = std::bitset<256>;
class ByteShares;

// Bytes in a row, each from a set: "ab" in any case is {a,A} {b,B}.
using Needle = std::vector<ByteSet>;

// Every match contains one of `needles` at least. None: nothing is known, all of the text has to be matched.
struct Needles {
  std::vector<Needle> needles;
  // The pattern is nothing but these needles, so that a line with one is a line with a match.
  bool are_matches = false;
  // The pattern is this text, so that finding it is the match itself.
  std::string whole_pattern = {};

  [[nodiscard]] bool empty() const { return needles.empty(); }
};

[[nodiscard]] Needles find_needles(const regex::Hir& pattern);

// How often one byte of the set occurs in source code, as a share of all bytes: 0.14 for a space.
[[nodiscard]] double share_of(const ByteSet& set);
// How often the rarest `width` neighbours of a needle are expected to occur, per byte of text.
struct NeedleWindow {
  std::size_t offset = 0;
  double share = 1;
};
[[nodiscard]] NeedleWindow rarest_window(const Needle& needle, std::size_t width, ByteShares& shares);

}  // namespace helve::search
