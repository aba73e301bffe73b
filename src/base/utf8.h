// Decodes, validates, repairs and shortens UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helve {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// Length in bytes of the well-formed character at the start of `text`; or 0.
[[nodiscard]] std::size_t utf8_character_length(std::string_view text);

// The code point of one well-formed character.
[[nodiscard]] inline char32_t utf8_code_point(std::string_view character) {
  const auto byte = [&](std::size_t at) {
    return static_cast<char32_t>(static_cast<unsigned char>(character[at]));
  };
  if (character.size() == 1) return byte(0);
  char32_t code = byte(0) & (0x7Fu >> character.size());
  for (std::size_t at = 1; at < character.size(); ++at) code = code << 6 | (byte(at) & 0x3Fu);
  return code;
}

// Offset of the first byte that is not part of well-formed UTF-8; text.size() if all of it is valid.
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view text);
[[nodiscard]] inline bool is_valid_utf8(std::string_view text) {
  return find_invalid_utf8(text) == text.size();
}

// Every maximal malformed sequence becomes one U+FFFD, as the Unicode standard recommends.
[[nodiscard]] std::string to_valid_utf8(std::string_view text);

// Number of bytes at the malformed start of `text` that one U+FFFD replaces.
[[nodiscard]] std::size_t malformed_utf8_length(std::string_view text);

// The longest prefix of at most `max_bytes` bytes that does not cut a character.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes);
// The longest suffix of at most `max_bytes` bytes that does not cut a character.
[[nodiscard]] std::string_view utf8_suffix(std::string_view text, std::size_t max_bytes);

// Number of characters in well-formed text.
[[nodiscard]] std::size_t count_characters(std::string_view text);
// The text itself, or its first `max_bytes` bytes and "…" if it is longer.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t max_bytes);

// Replaces runs of white space and control characters by one space, and shortens the result to `max_bytes`.
[[nodiscard]] std::string on_one_line(std::string_view text, std::size_t max_bytes);

void append_utf8(std::string& out, char32_t character);

}  // namespace helve
