// How likely one byte follows another in source code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

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

// Goes along a needle and tells of each set how often one of its bytes comes right after one of the set
// before: between 0 and 1, and 1 for the first.
class FollowerShares {
 public:
  [[nodiscard]] double next(const ByteSet& set);

 private:
  // The letters a to z, then capital letters, digits, _, blanks, and all others.
  static constexpr std::size_t kKinds = 31;
  using KindShares = std::array<double, kKinds>;

  static KindShares shares_by_kind(const ByteSet& set);
  [[nodiscard]] double share_after(const KindShares& after) const;

  std::optional<ByteSet> last_;
  KindShares last_shares_ = {};
  std::optional<double> of_same_;  // when the last two were the same set
};

}  // namespace helve::search
