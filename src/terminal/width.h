// How many columns of a terminal text takes.
#pragma once

#include <cstddef>
#include <string_view>

namespace helve::terminal {

// The character at the start of well-formed text; for malformed text U+FFFD with a length of 1.
struct Decoded {
  char32_t character = 0;
  std::size_t bytes = 0;
};
[[nodiscard]] Decoded decode_character(std::string_view text);

// 0 for marks that combine with the character before, 2 for wide ones as in East Asian writing and emoji.
[[nodiscard]] std::size_t width_of(char32_t character);
[[nodiscard]] std::size_t display_width(std::string_view text);

// Where the character after `at`, or before it, begins; marks that combine with it belong to it.
[[nodiscard]] std::size_t next_character(std::string_view text, std::size_t at);
[[nodiscard]] std::size_t previous_character(std::string_view text, std::size_t at);

}  // namespace helve::terminal
