// Matches globs with `!(…)`, which an automaton without complement cannot.
#pragma once

#include <span>
#include <string_view>

#include "search/glob_parse.h"

namespace helve::search {

// Computes for each group and each place where it may begin all places where it may end, each once: at most
// cubic in the length of the text.
[[nodiscard]] bool matches_by_positions(std::span<const GlobToken> tokens, std::string_view text,
                                        bool ignore_case);
// Whether the tokens contain `!(…)` anywhere.
[[nodiscard]] bool has_exception(std::span<const GlobToken> tokens);
// Whether a class contains the character. With `ignore_case`, the text is in lower case and the class is not.
[[nodiscard]] bool class_contains(std::span<const std::pair<char32_t, char32_t>> ranges, bool negated,
                                  char32_t character, bool ignore_case);

}  // namespace helve::search
