// How likely one byte follows another in source code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

#include "search/needles.h"

namespace helve::search {

namespace detail {
// 2 to the power of -i/16.
inline constexpr auto kSixteenths = [] {
  constexpr double kRoot = 1.0442737824274138403;
  std::array<double, 256> powers{};
  powers[0] = 1;
  for (std::size_t i = 1; i < powers.size(); ++i)
    powers[i] = i % 16 == 0 ? powers[i - 16] / 2 : powers[i - 1] / kRoot;
  return powers;
}();
}  // namespace detail

// A share as the tables have it: 255 + 16 * log2(share).
[[nodiscard]] constexpr double share_from(std::uint8_t table_value) {
  return detail::kSixteenths[255 - table_value];
}

// What share of all bytes is this one.
[[nodiscard]] double share_of(unsigned char byte);

// Tells how common sets of bytes are, and remembers it: a pattern has the same few sets in many places. One
// thread at a time.
class ByteShares {
 public:
  // The letters a to z, then capital letters, digits, _, blanks, and all others.
  static constexpr std::size_t kKinds = 31;
  using KindShares = std::array<double, kKinds>;
  struct Facts {
    double share = 0;  // of all bytes
    KindShares by_kind = {};
  };

  // Valid as long as this is.
  [[nodiscard]] const Facts& of(const ByteSet& set);
  // How often a byte of `next` comes right after one of `last`: between 0 and 1. Both are from here.
  [[nodiscard]] double after(const Facts& last, const Facts& next);

 private:
  std::unordered_map<ByteSet, Facts> facts_;
  std::map<std::pair<const Facts*, const Facts*>, double> following_;
};

}  // namespace helve::search
