// Unicode properties for \p{…}, \w, \d, \s and case-insensitive matching. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "regex/code_set.h"

namespace helve::regex {

// \p{Greek}, \p{Lu}, \p{Alphabetic}: names are matched loosely, as in isGreek, GREEK and upper-case_letter.
[[nodiscard]] std::optional<CodeSet> find_property(std::string_view name);
// \p{Script=Greek}, with gc, sc, scx, age, gcb, wb and sb or their long names.
[[nodiscard]] std::optional<CodeSet> find_property(std::string_view name, std::string_view value);
// Whether the property has values, as in \p{name=…}.
[[nodiscard]] bool has_property_values(std::string_view name);

// The long names that find_property() accepts, for suggestions. property_names() lists those that need no
// value.
[[nodiscard]] std::vector<std::string> property_names();
[[nodiscard]] std::vector<std::string> property_values(std::string_view name);

// \w, \d and \s.
[[nodiscard]] const CodeSet& word_characters();
[[nodiscard]] const CodeSet& decimal_digits();
[[nodiscard]] const CodeSet& white_space();

namespace detail {
[[nodiscard]] bool is_word_character_beyond_ascii(char32_t code);
}
// Whether \w matches. Takes at most two table lookups.
[[nodiscard]] inline bool is_word_character(char32_t code) {
  if (code < 0x80) return helve::is_word_character(code);
  return detail::is_word_character_beyond_ascii(code);
}

// Adds all characters that differ only in case: k gives k, K and the Kelvin sign.
[[nodiscard]] CodeSet with_other_cases(const CodeSet& set);

}  // namespace helve::regex
