// What scripts/unicode_tables writes: the Unicode data as text, which unicode.cc reads when it is asked for.
#pragma once

#include <span>
#include <string_view>

namespace helve::regex {

struct UnicodeProperty {
  // gc, sc, scx (only where it is not the same as sc), age, gcb, wb or sb; empty for yes-or-no properties.
  std::string_view key;
  std::string_view names;  // Lu|Uppercase_Letter
  std::string_view ranges;
};

// Ages are in order and hold what came new with them.
[[nodiscard]] std::span<const UnicodeProperty> unicode_properties();
[[nodiscard]] std::string_view unicode_word_ranges();
// Pairs: the distance to the next code point that has other cases; from there, the distance to one of those,
// twice, plus one when it lies before. Following them leads around all code points that fold together.
[[nodiscard]] std::string_view unicode_case_orbits();

}  // namespace helve::regex
