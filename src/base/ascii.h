// ASCII character classes, independent of the locale, for bytes and code points. Everything above 0x7F
// belongs to no class. The classes are function objects, so that algorithms take them as predicates.
#pragma once

namespace helve {

inline constexpr auto is_digit = [](auto character) { return character >= '0' && character <= '9'; };
inline constexpr auto is_octal_digit = [](auto character) { return character >= '0' && character <= '7'; };
inline constexpr auto is_lower = [](auto character) { return character >= 'a' && character <= 'z'; };
inline constexpr auto is_upper = [](auto character) { return character >= 'A' && character <= 'Z'; };
inline constexpr auto is_letter = [](auto character) { return is_lower(character) || is_upper(character); };
inline constexpr auto is_letter_or_digit = [](auto character) {
  return is_letter(character) || is_digit(character);
};
// A letter, a digit or an underscore, as in identifiers and the `\w` of regular expressions.
inline constexpr auto is_word_character = [](auto character) {
  return is_letter_or_digit(character) || character == '_';
};

[[nodiscard]] constexpr char to_lower(char byte) {
  return is_upper(byte) ? static_cast<char>(byte - 'A' + 'a') : byte;
}
[[nodiscard]] constexpr char to_upper(char byte) {
  return is_lower(byte) ? static_cast<char>(byte - 'a' + 'A') : byte;
}

// 0 to 15, or -1 if it is not a hexadecimal digit.
inline constexpr auto hex_digit_value = [](auto character) -> int {
  if (is_digit(character)) return static_cast<int>(character - '0');
  if (character >= 'a' && character <= 'f') return static_cast<int>(character - 'a') + 10;
  if (character >= 'A' && character <= 'F') return static_cast<int>(character - 'A') + 10;
  return -1;
};
inline constexpr auto is_hex_digit = [](auto character) { return hex_digit_value(character) >= 0; };

}  // namespace helve
