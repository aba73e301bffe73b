// Parses a whole pattern: alternatives, groups, repetitions and flags.
#pragma once

#include <optional>
#include <string_view>

#include "regex/hir.h"
#include "regex/syntax.h"
#include "regex/syntax_error.h"

namespace helve::regex {

// Applies all options, including those for line breaks and literal text.
[[nodiscard]] Parsed<Hir> parse_pattern(std::u32string_view pattern, const SyntaxOptions& options);

}  // namespace helve::regex
