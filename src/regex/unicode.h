// Properties of Unicode characters: what \p{…}, \w, \d, \s and case-insensitivity mean. Usable from all
// threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regex/code_set.h"

namespace helve::regex {

// \p{Greek}, \p{Lu}, \p{Alphabetic}: names are matched loosely, as in isGreek, GREEK and upper-case_letter.
[[nodiscard]] std::optional<CodeSet> find_property(std::string_view name);
// \p{Script=Greek}, with gc, sc, scx, age, gcb, wb and sb or their long names.
[[nodiscard]] std::optional<CodeSet> find_property(std::string_view name, std::string_view value);
// Whether \p{name=…} can be asked for at all.
[[nodiscard]] bool has_property_values(std::string_view name);

// The long names that find_property knows, for suggestions: without a property, what may stand alone.
[[nodiscard]] std::vector<std::string> property_names();
[[nodiscard]] std::vector<std::string> property_values(std::string_view name);

// \w, \d and \s.
[[nodiscard]] const CodeSet& word_characters();
[[nodiscard]] const CodeSet& decimal_digits();
[[nodiscard]] const CodeSet& white_space();

namespace detail {
[[nodiscard]] bool is_word_character_beyond_ascii(char32_t code);
}
// Whether \w matches. Two table lookups at most.
[[nodiscard]] inline bool is_word_character(char32_t code) {
  if (code < 0x80) {
    return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') || (code >= '0' && code <= '9') ||
           code == '_';
  }
  return detail::is_word_character_beyond_ascii(code);
}

// The set and everything that is the same but for case: k gives k, K and the Kelvin sign.
[[nodiscard]] CodeSet with_other_cases(const CodeSet& set);

}  // namespace helve::regex
