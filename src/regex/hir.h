// A pattern after parsing, free of syntax: what the compiler makes automata of and the search takes literals
// from.
#pragma once

#include <bitset>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "regex/code_set.h"

namespace helve::regex {

// What must hold between two characters. The word kinds go by Unicode's word characters unless they end in
// Ascii.
enum class Look : std::uint8_t {
  kTextStart,
  kTextEnd,
  kLineStart,      // at the start of the text or after \n
  kLineEnd,        // at the end of the text or before \n
  kLineStartCrlf,  // \r\n, \r and \n end lines, and nothing is between \r and \n
  kLineEndCrlf,
  kWordBoundary,
  kNotWordBoundary,
  kWordStart,
  kWordEnd,
  kWordStartHalf,  // no word character before
  kWordEndHalf,    // no word character after
  kWordBoundaryAscii,
  kNotWordBoundaryAscii,
  kWordStartAscii,
  kWordEndAscii,
  kWordStartHalfAscii,
  kWordEndHalfAscii,
};

// A value; children are owned. Groups leave no trace, since nobody asks for captures.
struct Hir {
  enum class Kind : std::uint8_t {
    kEmpty,      // matches the empty text
    kNothing,    // matches no text at all, such as [a&&b]
    kLiteral,    // exactly `bytes`, at least one
    kClass,      // one code point of `codes`, as UTF-8
    kByteClass,  // one byte of `byte_set`, valid UTF-8 or not: from (?-u)
    kLook,       // `look`
    kRepeat,     // children[0], `min` to `max` times
    kConcat,     // children, two or more
    kAlternate,  // children, two or more; earlier ones are preferred
  };
  static constexpr std::uint32_t kUnbounded = std::numeric_limits<std::uint32_t>::max();

  Kind kind = Kind::kEmpty;
  Look look = Look::kTextStart;
  bool greedy = true;
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  std::string bytes = {};
  CodeSet codes = {};
  std::bitset<256> byte_set = {};
  std::vector<Hir> children = {};

  bool operator==(const Hir&) const = default;
};

}  // namespace helve::regex
