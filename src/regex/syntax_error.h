// Reports what is wrong with a pattern, with a picture of the place and a suggestion.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "helve/error.h"
#include "regex/syntax.h"

namespace helve::regex {

struct Problem {
  // In characters of the pattern; equal for a position between two characters.
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string what = {};    // a sentence after "at character 5: "
  std::string advice = {};  // what to do about it, if known
  // A backslash before `begin` would make the character literal, which may be the intention.
  bool escapable = false;
  bool look_around = false;
};

template <class T>
using Parsed = std::expected<T, Problem>;

[[nodiscard]] inline std::unexpected<Problem> refuse(Problem problem) {
  return std::unexpected(std::move(problem));
}

// Fills details: pattern, offset and length in characters, a picture of the position and, if available, a
// suggestion.
[[nodiscard]] Error describe(const Problem& problem, std::u32string_view pattern,
                             const SyntaxOptions& options);

}  // namespace helve::regex
