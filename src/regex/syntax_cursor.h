// A place in a pattern that moves on, over space and comments too where the flag x says so.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace helve::regex {

// Does not own the pattern; used by one parse.
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

  // False when that leads to the end, or was there.
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
