// Character widths, boundaries and classes for terminal text.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/ascii.h"

namespace helve::terminal {

// The character at the start of a text; U+FFFD with a length of 1 if it is malformed.
struct Decoded {
  char32_t character = 0;
  std::size_t bytes = 0;
};
[[nodiscard]] Decoded decode_character(std::string_view text);

// 0 for combining marks, 2 for wide characters such as East Asian ones and emoji, otherwise 1.
[[nodiscard]] std::size_t width_of(char32_t character);
[[nodiscard]] std::size_t display_width(std::string_view text);

// The start of the next or previous character, including its combining marks.
[[nodiscard]] std::size_t next_character(std::string_view text, std::size_t at);
[[nodiscard]] std::size_t previous_character(std::string_view text, std::size_t at);

// A byte of a word: a letter, a digit, an underscore or a non-ASCII byte.
[[nodiscard]] constexpr bool is_word_byte(char byte) {
  return is_word_character(byte) || static_cast<unsigned char>(byte) >= 0x80;
}

}  // namespace helve::terminal
