// What kind of ASCII character a byte is, whatever the locale says.
#pragma once

namespace helve {

[[nodiscard]] constexpr bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
[[nodiscard]] constexpr bool is_letter(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}
[[nodiscard]] constexpr bool is_letter_or_digit(char byte) { return is_letter(byte) || is_digit(byte); }

}  // namespace helve
