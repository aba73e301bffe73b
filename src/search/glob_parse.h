// Parses a glob into tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helve/error.h"
#include "search/glob.h"
#include "search/glob_class.h"

namespace helve::search {

inline constexpr std::size_t kLongestGlob = 4096;  // no path is longer

struct GlobToken {
  enum class Kind : std::uint8_t {
    kByte,          // this byte
    kCharacter,     // `?`
    kStar,          // `*`
    kAnyPrefix,     // `**/` at the front: nothing, or any directories
    kAnyMiddle,     // `/**/`: `/`, or any directories between two
    kAnySuffix,     // `/**` at the end: everything inside
    kClass,         // `[a-z]`
    kAlternatives,  // `{a,b}`, and `@(a|b)` with its repetitions
    kExcept,        // `!(a|b)`: anything within the component but these
    kByteSet,       // one byte of a set
    kAnyBytes,      // any number of bytes, also `/`
  };

  Kind kind;
  std::uint8_t byte = 0;
  bool negated = false;                                    // of a class
  std::vector<std::pair<char32_t, char32_t>> ranges = {};  // of a class
  std::vector<std::vector<GlobToken>> alternatives = {};
  char repeat = '@';   // of kAlternatives: `@` once, `?` at most once, `*` any number, `+` at least once
  ByteSet bytes = {};  // of kByteSet
};

[[nodiscard]] Expected<std::vector<GlobToken>> parse_glob(std::string_view pattern,
                                                          const GlobOptions& options);

// The UTF-8 character at `place`. An invalid byte becomes a value beyond all code points.
struct GlobCharacter {
  char32_t value;
  std::size_t length;
};
[[nodiscard]] GlobCharacter glob_character_at(std::string_view text, std::size_t place);

}  // namespace helve::search
