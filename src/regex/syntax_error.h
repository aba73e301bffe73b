// Tells what is wrong with a pattern: to models and people in words, to programs in numbers, with a picture.
#pragma once

#include <string_view>

#include "helve/error.h"
#include "regex/syntax.h"
#include "regex/syntax_problem.h"

namespace helve::regex {

// details: pattern, offset and length in characters, a picture of the place and, when there is one, a
// suggestion.
[[nodiscard]] Error describe(const Problem& problem, std::u32string_view pattern,
                             const SyntaxOptions& options);

}  // namespace helve::regex
