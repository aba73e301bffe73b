// ASCII character classes, independent of the locale. Bytes above 0x7F belong to no class.
#pragma once

namespace helve {

[[nodiscard]] constexpr bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
[[nodiscard]] constexpr bool is_octal_digit(char byte) { return byte >= '0' && byte <= '7'; }
[[nodiscard]] constexpr bool is_lower(char byte) { return byte >= 'a' && byte <= 'z'; }
[[nodiscard]] constexpr bool is_upper(char byte) { return byte >= 'A' && byte <= 'Z'; }
[[nodiscard]] constexpr bool is_letter(char byte) { return is_lower(byte) || is_upper(byte); }
[[nodiscard]] constexpr bool is_letter_or_digit(char byte) { return is_letter(byte) || is_digit(byte); }
// A letter, a digit or an underscore, as in identifiers and the `\w` of regular expressions.
[[nodiscard]] constexpr bool is_word_character(char byte) { return is_letter_or_digit(byte) || byte == '_'; }

[[nodiscard]] constexpr char to_lower(char byte) {
  return is_upper(byte) ? static_cast<char>(byte - 'A' + 'a') : byte;
}
[[nodiscard]] constexpr char to_upper(char byte) {
  return is_lower(byte) ? static_cast<char>(byte - 'a' + 'A') : byte;
}

// 0 to 15, or -1 if the byte is not a hexadecimal digit.
[[nodiscard]] constexpr int hex_digit_value(char byte) {
  if (is_digit(byte)) return byte - '0';
  if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
  if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
  return -1;
}
[[nodiscard]] constexpr bool is_hex_digit(char byte) { return hex_digit_value(byte) >= 0; }

}  // namespace helve
