// Single lines: their endings, how to quote them, and in words how two of them differ.
#pragma once

#include <string>
#include <string_view>

namespace helve {

// Without its line break: neither \n nor the \r before it.
[[nodiscard]] std::string_view without_ending(std::string_view line);
[[nodiscard]] std::string_view without_trailing_space(std::string_view line);

// With plain characters for the typographic ones that models and editors exchange for them.
[[nodiscard]] std::string plain_punctuation(std::string_view text);

// The text in backquotes, at most about 80 characters and valid UTF-8.
[[nodiscard]] std::string quote_line(std::string_view text);

// What a reader would miss at a glance, in a few words: "the indentation differs: 4 spaces expected, 1 tab
// found". Empty when the lines are equal.
[[nodiscard]] std::string describe_line_difference(std::string_view expected, std::string_view found);

}  // namespace helve
