// Helpers for single lines: endings, quoting, and descriptions of how two lines differ.
#pragma once

#include <string>
#include <string_view>

namespace helve::patch {

// Without its line break, \n or \r\n.
[[nodiscard]] std::string_view without_ending(std::string_view line);
[[nodiscard]] std::string_view without_trailing_space(std::string_view line);

// Replaces typographic characters by the ASCII ones that models and editors confuse with them.
[[nodiscard]] std::string plain_punctuation(std::string_view text);

// The text in backquotes, at most about 80 characters and valid UTF-8.
[[nodiscard]] std::string quote_line(std::string_view text);

// A short description of the difference: "the indentation differs: 4 spaces expected, 1 tab found". Empty
// when the lines are equal.
[[nodiscard]] std::string describe_line_difference(std::string_view expected, std::string_view found);

}  // namespace helve::patch
