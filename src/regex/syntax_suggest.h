// Guesses what was meant by a pattern that is not valid: most often text that nobody escaped.
#pragma once

#include <string>
#include <string_view>

#include "regex/syntax.h"
#include "regex/syntax_problem.h"

namespace helve::regex {

struct Suggestion {
  std::string pattern = {};   // valid, ready to use; empty when there is none
  std::string sentence = {};  // introduces it, or says what to do instead
};

[[nodiscard]] Suggestion suggest(std::u32string_view pattern, const Problem& problem,
                                 const SyntaxOptions& options);

}  // namespace helve::regex
