// A read position in a pattern. Skips spaces and comments if the flag x is set.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace helve::regex {

// Does not own the pattern. Used by one parse.
class Cursor {
 public:
  explicit Cursor(std::u32string_view pattern) : pattern_(pattern) {}

  [[nodiscard]] bool at_end() const { return position_ == pattern_.size(); }
  [[nodiscard]] bool at(char32_t character) const { return !at_end() && current() == character; }
  [[nodiscard]] char32_t current() const { return pattern_[position_]; }
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] std::u32string_view between(std::size_t begin, std::size_t end) const {
    return pattern_.substr(begin, end - begin);
  }
  void go_to(std::size_t position) { position_ = position; }

  void set_ignore_space(bool ignore) { ignore_space_ = ignore; }

  // These return false at the end of the pattern.
  bool advance();
  bool advance_over_space();
  void skip_space();
  bool take(std::u32string_view text);

  // The character after the current one.
  [[nodiscard]] std::optional<char32_t> peek() const;
  [[nodiscard]] std::optional<char32_t> peek_over_space() const;

 private:
  std::u32string_view pattern_;
  std::size_t position_ = 0;
  bool ignore_space_ = false;
};

[[nodiscard]] bool is_white_space(char32_t character);

}  // namespace helve::regex
