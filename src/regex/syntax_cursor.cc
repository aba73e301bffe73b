#include "regex/syntax_cursor.h"

#include "regex/unicode.h"

namespace helve::regex {

bool is_white_space(char32_t character) {
  if (character < 0x80) return character == ' ' || (character >= '\t' && character <= '\r');
  return white_space().contains(character);
}

bool Cursor::advance() {
  if (at_end()) return false;
  ++position_;
  return !at_end();
}

bool Cursor::advance_over_space() {
  if (!advance()) return false;
  skip_space();
  return !at_end();
}

void Cursor::skip_space() {
  if (!ignore_space_) return;
  while (!at_end()) {
    if (is_white_space(current())) {
      advance();
    } else if (current() == '#') {
      while (!at_end() && current() != '\n') advance();
    } else {
      return;
    }
  }
}

bool Cursor::take(std::u32string_view text) {
  if (!pattern_.substr(position_).starts_with(text)) return false;
  position_ += text.size();
  return true;
}

std::optional<char32_t> Cursor::peek() const {
  if (position_ + 1 >= pattern_.size()) return std::nullopt;
  return pattern_[position_ + 1];
}

std::optional<char32_t> Cursor::peek_over_space() const {
  if (!ignore_space_) return peek();
  // Of a comment, only the # is skipped, as ripgrep does in such classes.
  bool in_comment = false;
  for (std::size_t next = position_ + 1; next < pattern_.size(); ++next) {
    if (is_white_space(pattern_[next])) continue;
    if (in_comment || pattern_[next] != '#') return pattern_[next];
    in_comment = true;
  }
  return peek();
}

}  // namespace helve::regex
