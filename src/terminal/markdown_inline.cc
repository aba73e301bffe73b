#include "terminal/markdown_inline.h"

#include <string>

#include "base/ascii.h"
#include "base/strings.h"

namespace helve::terminal {
namespace {

bool is_in_word(char c) { return is_letter_or_digit(c) || static_cast<unsigned char>(c) >= 0x80; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

class Inline {
 public:
  Inline(Line& line, std::string_view text, Style style) : line_(line), text_(text), style_(style) {}

  void run(int depth) {
    while (at_ < text_.size()) {
      const bool special = escape() || code() || (depth < kDeepest && (emphasis(depth) || link(depth)));
      if (!special) plain_ += text_[at_++];
    }
    flush();
  }

 private:
  static constexpr int kDeepest = 8;

  void flush() {
    line_.add(plain_, style_);
    plain_.clear();
  }

  bool escape() {
    if (text_[at_] != '\\' || at_ + 1 >= text_.size() ||
        std::string_view("\\`*_{}[]()#+-.!|<>~").find(text_[at_ + 1]) == std::string_view::npos)
      return false;
    plain_ += text_[at_ + 1];
    at_ += 2;
    return true;
  }

  bool code() {
    std::size_t ticks = 0;
    while (at_ + ticks < text_.size() && text_[at_ + ticks] == '`') ++ticks;
    if (ticks == 0) return false;
    const std::string fence(ticks, '`');
    std::size_t end = text_.find(fence, at_ + ticks);
    // Exactly as many: a longer run is no end.
    while (end != std::string_view::npos && end + ticks < text_.size() && text_[end + ticks] == '`') {
      while (end < text_.size() && text_[end] == '`') ++end;
      end = text_.find(fence, end);
    }
    if (end == std::string_view::npos) {
      plain_ += fence;
      at_ += ticks;
      return true;
    }
    flush();
    std::string_view inside = text_.substr(at_ + ticks, end - at_ - ticks);
    if (inside.size() > 2 && inside.front() == ' ' && inside.back() == ' ')
      inside = inside.substr(1, inside.size() - 2);
    Style style = style_;
    style.colour = Colour::kCyan;
    line_.add(inside, style);
    at_ = end + ticks;
    return true;
  }

  bool emphasis(int depth) {
    const char mark = text_[at_];
    if (mark != '*' && mark != '_') return false;
    std::size_t length = 1;
    while (length < 3 && at_ + length < text_.size() && text_[at_ + length] == mark) ++length;
    const std::size_t begin = at_ + length;
    // Opens before a word, and an underscore not inside of one: snake_case is no emphasis.
    if (begin >= text_.size() || is_blank(text_[begin])) return false;
    if (mark == '_' && at_ > 0 && is_in_word(text_[at_ - 1])) return false;
    const std::string fence(length, mark);
    for (std::size_t end = text_.find(fence, begin); end != std::string_view::npos;
         end = text_.find(fence, end + 1)) {
      const std::size_t after = end + length;
      if (end == begin || is_blank(text_[end - 1])) continue;
      if (after < text_.size() && text_[after] == mark) continue;
      if (mark == '_' && after < text_.size() && is_in_word(text_[after])) continue;
      flush();
      Style style = style_;
      if (length >= 2) style.bold = true;
      if (length != 2) style.italic = true;
      Inline(line_, text_.substr(begin, end - begin), style).run(depth + 1);
      at_ = after;
      return true;
    }
    return false;
  }

  bool link(int depth) {
    if (text_[at_] != '[') return false;
    const std::size_t close = text_.find("](", at_);
    if (close == std::string_view::npos) return false;
    const std::size_t end = text_.find(')', close);
    const std::string_view words = text_.substr(at_ + 1, close - at_ - 1);
    if (end == std::string_view::npos || words.empty() || words.contains('[')) return false;
    flush();
    const std::string_view target = text_.substr(close + 2, end - close - 2);
    Style style = style_;
    style.underline = true;
    Inline(line_, words, style).run(depth + 1);
    // The address is always shown: what a link says and where it leads may be two things.
    if (target != words) line_.add(concat(" (", target, ")"), {Colour::kDim});
    at_ = end + 1;
    return true;
  }

  Line& line_;
  std::string_view text_;
  Style style_;
  std::size_t at_ = 0;
  std::string plain_;
};

}  // namespace

void add_inline(Line& line, std::string_view text, const Style& style) {
  // Each mark may be looked for in all that follows: a line without end would take the square of its length.
  constexpr std::size_t kLongest = std::size_t{4} << 10;
  if (text.size() > kLongest)
    line.add(text, style);
  else
    Inline(line, text, style).run(0);
}

}  // namespace helve::terminal
