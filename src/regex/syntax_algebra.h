// What the flags do to sets: without Unicode, sets hold bytes instead of code points, and case is ASCII's.
#pragma once

#include <optional>
#include <string_view>

#include "regex/code_set.h"
#include "regex/syntax_flags.h"

namespace helve::regex {

// The other cases too, when case is ignored.
[[nodiscard]] CodeSet fold(const CodeSet& set, const Flags& flags);
// Everything else: code points or bytes.
[[nodiscard]] CodeSet negate(const CodeSet& set, const Flags& flags);

// \d, \s or \w by its letter.
[[nodiscard]] CodeSet perl_class(char32_t letter, const Flags& flags);
// The dot.
[[nodiscard]] CodeSet any_character(const Flags& flags);
// [:alpha:] by its name.
[[nodiscard]] std::optional<CodeSet> posix_class(std::u32string_view name);

}  // namespace helve::regex
