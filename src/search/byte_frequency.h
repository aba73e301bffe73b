// How often bytes and pairs of bytes occur in source code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

#include "search/byte_set.h"

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

// Decodes a table value, which is 255 + 16 * log2(frequency).
[[nodiscard]] constexpr double frequency_from(std::uint8_t table_value) {
  return detail::kSixteenths[255 - table_value];
}

// The frequency of a byte, as a fraction of all bytes.
[[nodiscard]] double frequency_of(unsigned char byte);
// How often a byte of the set occurs in source code, as a fraction of all bytes: 0.14 for a space.
[[nodiscard]] double frequency_of(const ByteSet& set);

// Computes how common sets of bytes are and caches the results, because a pattern contains the same few sets
// many times. Not thread-safe.
class ByteFrequencies {
 public:
  // Kinds of bytes: each letter a to z, then capital letters, digits, _, blanks, all others.
  static constexpr std::size_t kKinds = 31;
  using KindFrequencies = std::array<double, kKinds>;
  struct Facts {
    double frequency = 0;  // as a fraction of all bytes
    KindFrequencies by_kind = {};
  };

  // The reference is valid for the lifetime of this object.
  [[nodiscard]] const Facts& of(const ByteSet& set);
  // The probability that a byte of `next` directly follows a byte of `last`. Both must come from of().
  [[nodiscard]] double after(const Facts& last, const Facts& next);

 private:
  std::unordered_map<ByteSet, Facts> facts_;
  std::map<std::pair<const Facts*, const Facts*>, double> following_;
};

}  // namespace helve::search
