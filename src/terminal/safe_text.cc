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

}  // namespace helve::terminal
