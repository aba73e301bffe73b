#include "regex/look.h"

#include <algorithm>

#include "base/utf8.h"
#include "regex/unicode.h"

namespace helve::regex {
namespace {

constexpr std::size_t kLongestCharacter = 4;

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

// The character before `at` (at > 0), or empty in malformed text. As in the regex crate, stray continuation
// bytes belong to the valid character before them.
std::string_view character_before(std::string_view text, std::size_t at) {
  std::size_t begin = at - 1;
  const std::size_t limit = at - std::min(at, kLongestCharacter);
  while (begin > limit && is_continuation(text[begin])) --begin;
  const std::string_view rest = text.substr(begin, at - begin);
  return rest.substr(0, utf8_character_length(rest));
}

std::string_view character_after(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at, kLongestCharacter);
  return rest.substr(0, utf8_character_length(rest));
}

bool is_word(std::string_view character) {
  return !character.empty() && is_word_character(utf8_code_point(character));
}

bool is_word_before(std::string_view text, std::size_t at) {
  return at > 0 && is_word(character_before(text, at));
}

bool is_word_after(std::string_view text, std::size_t at) {
  return at < text.size() && is_word(character_after(text, at));
}

// Negative word look-arounds never hold in malformed text, so that no match splits a character.
bool is_well_formed_before(std::string_view text, std::size_t at) {
  return at == 0 || !character_before(text, at).empty();
}

bool is_well_formed_after(std::string_view text, std::size_t at) {
  return at == text.size() || !character_after(text, at).empty();
}

bool is_word_byte_before(std::string_view text, std::size_t at) {
  return at > 0 && is_word_byte(byte_at(text, at - 1));
}

bool is_word_byte_after(std::string_view text, std::size_t at) {
  return at < text.size() && is_word_byte(byte_at(text, at));
}

}  // namespace

Look flipped(Look look) {
  switch (look) {
    case Look::kTextStart: return Look::kTextEnd;
    case Look::kTextEnd: return Look::kTextStart;
    case Look::kLineStart: return Look::kLineEnd;
    case Look::kLineEnd: return Look::kLineStart;
    case Look::kLineStartCrlf: return Look::kLineEndCrlf;
    case Look::kLineEndCrlf: return Look::kLineStartCrlf;
    case Look::kWordStart: return Look::kWordEnd;
    case Look::kWordEnd: return Look::kWordStart;
    case Look::kWordStartHalf: return Look::kWordEndHalf;
    case Look::kWordEndHalf: return Look::kWordStartHalf;
    case Look::kWordStartAscii: return Look::kWordEndAscii;
    case Look::kWordEndAscii: return Look::kWordStartAscii;
    case Look::kWordStartHalfAscii: return Look::kWordEndHalfAscii;
    case Look::kWordEndHalfAscii: return Look::kWordStartHalfAscii;
    case Look::kWordBoundary:
    case Look::kNotWordBoundary:
    case Look::kWordBoundaryAscii:
    case Look::kNotWordBoundaryAscii: return look;
  }
  return look;
}

bool look_holds(Look look, std::string_view text, std::size_t at) {
  const std::size_t end = text.size();
  switch (look) {
    case Look::kTextStart: return at == 0;
    case Look::kTextEnd: return at == end;
    case Look::kLineStart: return at == 0 || text[at - 1] == '\n';
    case Look::kLineEnd: return at == end || text[at] == '\n';
    case Look::kLineStartCrlf:
      return at == 0 || text[at - 1] == '\n' || (text[at - 1] == '\r' && (at == end || text[at] != '\n'));
    case Look::kLineEndCrlf:
      return at == end || text[at] == '\r' || (text[at] == '\n' && (at == 0 || text[at - 1] != '\r'));
    case Look::kWordBoundary: return is_word_before(text, at) != is_word_after(text, at);
    case Look::kNotWordBoundary:
      return is_well_formed_before(text, at) && is_well_formed_after(text, at) &&
             is_word_before(text, at) == is_word_after(text, at);
    case Look::kWordStart: return !is_word_before(text, at) && is_word_after(text, at);
    case Look::kWordEnd: return is_word_before(text, at) && !is_word_after(text, at);
    case Look::kWordStartHalf: return is_well_formed_before(text, at) && !is_word_before(text, at);
    case Look::kWordEndHalf: return is_well_formed_after(text, at) && !is_word_after(text, at);
    case Look::kWordBoundaryAscii: return is_word_byte_before(text, at) != is_word_byte_after(text, at);
    case Look::kNotWordBoundaryAscii: return is_word_byte_before(text, at) == is_word_byte_after(text, at);
    case Look::kWordStartAscii: return !is_word_byte_before(text, at) && is_word_byte_after(text, at);
    case Look::kWordEndAscii: return is_word_byte_before(text, at) && !is_word_byte_after(text, at);
    case Look::kWordStartHalfAscii: return !is_word_byte_before(text, at);
    case Look::kWordEndHalfAscii: return !is_word_byte_after(text, at);
  }
  return false;
}

}  // namespace helve::regex
