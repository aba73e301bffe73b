// Sets of look-arounds, and checks whether a look-around holds in a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "base/ascii.h"
#include "regex/hir.h"

namespace helve::regex {

// A set of look-arounds.
class LookSet {
 public:
  constexpr LookSet() = default;
  constexpr LookSet(std::initializer_list<Look> looks) {
    for (const Look look : looks) add(look);
  }
  [[nodiscard]] static constexpr LookSet from_bits(std::uint32_t bits) {
    LookSet set;
    set.bits_ = bits;
    return set;
  }

  constexpr void add(Look look) { bits_ |= std::uint32_t{1} << static_cast<unsigned>(look); }
  constexpr void add(LookSet other) { bits_ |= other.bits_; }
  [[nodiscard]] constexpr LookSet common_with(LookSet other) const { return from_bits(bits_ & other.bits_); }
  [[nodiscard]] constexpr LookSet without(LookSet other) const { return from_bits(bits_ & ~other.bits_); }
  [[nodiscard]] constexpr bool contains(Look look) const { return common_with({look}).bits_ != 0; }
  [[nodiscard]] constexpr bool has_any_of(LookSet other) const { return (bits_ & other.bits_) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr std::uint32_t bits() const { return bits_; }

  constexpr bool operator==(const LookSet&) const = default;

 private:
  std::uint32_t bits_ = 0;
};

inline constexpr int kLookCount = static_cast<int>(Look::kWordEndHalfAscii) + 1;

inline constexpr LookSet kCrlfLooks{Look::kLineStartCrlf, Look::kLineEndCrlf};
inline constexpr LookSet kLineLooks{Look::kLineStart, Look::kLineEnd};
inline constexpr LookSet kAsciiWordLooks{Look::kWordBoundaryAscii,  Look::kNotWordBoundaryAscii,
                                         Look::kWordStartAscii,     Look::kWordEndAscii,
                                         Look::kWordStartHalfAscii, Look::kWordEndHalfAscii};
inline constexpr LookSet kUnicodeWordLooks{Look::kWordBoundary, Look::kNotWordBoundary, Look::kWordStart,
                                           Look::kWordEnd,      Look::kWordStartHalf,   Look::kWordEndHalf};
// These do not depend on what follows the position.
inline constexpr LookSet kLooksBehindOnly{Look::kTextStart, Look::kLineStart};

// The look-around that means in the reversed text what `look` means in the text.
[[nodiscard]] Look flipped(Look look);

// Whether `look` holds in `text` between at - 1 and at.
[[nodiscard]] bool look_holds(Look look, std::string_view text, std::size_t at);

// One of [0-9A-Za-z_].
[[nodiscard]] constexpr bool is_word_byte(unsigned char byte) { return helve::is_word_character(byte); }

}  // namespace helve::regex
