// Reads a whole pattern: alternatives, groups, repetitions and flags.
#pragma once

#include <optional>
#include <string_view>

#include "regex/hir.h"
#include "regex/syntax.h"
#include "regex/syntax_problem.h"

namespace helve::regex {

// The pattern's meaning under all options, those on line breaks and literal text too.
[[nodiscard]] Parsed<Hir> parse_pattern(std::u32string_view pattern, const SyntaxOptions& options);

}  // namespace helve::regex
