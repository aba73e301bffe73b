#include "terminal/safe_text.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::terminal {
namespace {

// C1 controls, bidirectional marks, line separators and invisible tags can control the terminal or make text
// look like other text.
bool is_unsafe(std::string_view character) {
  if (character.size() == 2)
    return (character[0] == '\xC2' && static_cast<unsigned char>(character[1]) < 0xA0) ||
           character == "\u061C";
  if (character.size() == 3)
    return (character >= "\u202A" && character <= "\u202E") ||
           (character >= "\u2066" && character <= "\u2069") || character == "\u200E" ||
           character == "\u200F" || character == "\u2028" || character == "\u2029";
  return character.size() == 4 && character >= "\U000E0000" && character <= "\U000E007F";
}

// Characters without any width, which only JSON for a program may contain: two texts look the same.
bool is_invisible(std::string_view character) {
  return character == "\u200B" || character == "\u2060" || character == "\uFEFF";
}

// Of a complete character with two bytes or more.
char32_t decoded(std::string_view character) {
  auto point = static_cast<char32_t>(static_cast<unsigned char>(character[0]) & (0x7F >> character.size()));
  for (const char c : character.substr(1)) point = (point << 6) | (static_cast<unsigned char>(c) & 0x3F);
  return point;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = utf8_character_length(text.substr(at));
    const std::string_view character = text.substr(at, std::max<std::size_t>(length, 1));
    at += character.size();
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F) {
      out += '^';
      out += static_cast<char>(byte ^ 0x40);
    } else if (length == 0 || is_unsafe(character)) {
      out += kReplacementCharacter;
    } else {
      out += character;
    }
  }
  return out;
}

std::string printable_line(std::string_view text) { return replace_all(printable(text), "\n", "⏎"); }

std::string printable_json(std::string_view json) {
  std::string out;
  const auto escape = [&out](char32_t unit) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out += "\\u";
    for (const int shift : {12, 8, 4, 0}) out += kDigits[(unit >> shift) & 0xF];
  };
  for (std::size_t at = 0; at < json.size();) {
    const auto byte = static_cast<unsigned char>(json[at]);
    const std::size_t length = std::max<std::size_t>(utf8_character_length(json.substr(at)), 1);
    const std::string_view character = json.substr(at, length);
    at += length;
    if ((byte < 0x20 && byte != '\n') || byte == 0x7F) {
      escape(byte);
    } else if (byte >= 0x80 && (is_unsafe(character) || is_invisible(character))) {
      const char32_t point = decoded(character);
      if (point >= 0x10000) {
        escape(0xD800 + ((point - 0x10000) >> 10));
        escape(0xDC00 + ((point - 0x10000) & 0x3FF));
      } else {
        escape(point);
      }
    } else {
      out += character;
    }
  }
  return out;
}

}  // namespace helve::terminal
