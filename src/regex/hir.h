// The high-level intermediate representation of a pattern: its meaning without its syntax.
#pragma once

#include <bitset>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "regex/code_set.h"

namespace helve::regex {

// A condition on the position between two characters. Word kinds use Unicode word characters unless they end
// in Ascii.
enum class Look : std::uint8_t {
  kTextStart,
  kTextEnd,
  kLineStart,      // at the start of the text or after \n
  kLineEnd,        // at the end of the text or before \n
  kLineStartCrlf,  // \r\n, \r and \n end lines; never holds between \r and \n
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

// A node of the tree; it owns its children. Groups are not represented, because captures are not supported.
struct Hir {
  enum class Kind : std::uint8_t {
    kEmpty,      // matches the empty text
    kNothing,    // never matches, as in [a&&b]
    kLiteral,    // exactly `bytes`, which is not empty
    kClass,      // one code point of `codes`, as UTF-8
    kByteClass,  // one byte of `byte_set`, which need not be valid UTF-8: from (?-u)
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

// These functions expect children in their simplest form and return the simplest form, so that readers have
// fewer cases.
[[nodiscard]] Hir make_literal(std::string bytes);
[[nodiscard]] Hir make_look(Look look);
// Returns kNothing for an empty set and a literal for a single code point.
[[nodiscard]] Hir make_class(CodeSet codes);
// `bytes` holds bytes. A class with only ASCII bytes becomes a class of code points.
[[nodiscard]] Hir make_byte_class(const CodeSet& bytes);
[[nodiscard]] Hir make_repeat(Hir child, std::uint32_t min, std::uint32_t max, bool greedy);
// Flattens nested concatenations and merges adjacent literals.
[[nodiscard]] Hir make_concat(std::vector<Hir> children);
// Flattens nested alternations and merges adjacent single-character alternatives into a class. They have
// equal length, so their order does not matter.
[[nodiscard]] Hir make_alternate(std::vector<Hir> children);

}  // namespace helve::regex
