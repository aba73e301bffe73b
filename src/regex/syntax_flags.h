// The flags of a pattern, such as (?i), and the character sets that depend on them.
#pragma once

#include <optional>
#include <string_view>

#include "regex/code_set.h"

namespace helve::regex {

struct Flags {
  bool ignore_case = false;             // i
  bool multi_line = true;               // m: ^ and $ match at lines
  bool dot_matches_line_break = false;  // s
  bool swap_greed = false;              // U
  bool unicode = true;                  // u
  bool crlf = false;                    // R
  bool ignore_space = false;            // x
};

// Adds the other cases if case is ignored.
[[nodiscard]] CodeSet fold(const CodeSet& set, const Flags& flags);
// The complement: code points or, without Unicode, bytes.
[[nodiscard]] CodeSet negate(const CodeSet& set, const Flags& flags);

// The set of \d, \s or \w.
[[nodiscard]] CodeSet perl_class(char32_t letter, const Flags& flags);
// The set of the dot.
[[nodiscard]] CodeSet any_character(const Flags& flags);
// The set of a POSIX class such as [:alpha:]; nullopt if the name is unknown.
[[nodiscard]] std::optional<CodeSet> posix_class(std::u32string_view name);

}  // namespace helve::regex
