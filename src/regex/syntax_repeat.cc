// Counts of repetitions may have space around them, even without the flag x.
#include "regex/syntax_repeat.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "regex/hir.h"

namespace helve::regex {
namespace {

// {2,5}; lives while it is read.
class CountParser {
 public:
  explicit CountParser(Cursor& cursor) : cursor_(cursor), begin_(cursor.position()) {}

  Parsed<Repetition> parse() {
    if (!cursor_.advance_over_space()) return refuse_unclosed();
    const auto min = parse_number();
    if (cursor_.at_end()) return refuse_unclosed();
    if (!min) return refuse_count();
    Repetition repetition{.min = *min, .max = *min};
    if (cursor_.at(',')) {
      if (!cursor_.advance_over_space()) return refuse_unclosed();
      repetition.max = Hir::kUnbounded;
      if (!cursor_.at('}')) {
        const auto max = parse_number();
        if (!max) return refuse_count();
        repetition.max = *max;
      }
    }
    if (!cursor_.at('}')) return refuse_unclosed();
    if (cursor_.advance_over_space() && cursor_.at('?')) {
      repetition.greedy = false;
      cursor_.advance();
    }
    if (repetition.min > repetition.max) {
      return refuse({.begin = begin_,
                     .end = cursor_.position(),
                     .what = "the repetition has a minimum over its maximum.",
                     .advice = "Swap the two counts."});
    }
    return repetition;
  }

 private:
  // None without digits or when it is too large.
  std::optional<std::uint32_t> parse_number() {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    while (!cursor_.at_end() && is_white_space(cursor_.current())) cursor_.advance();
    std::uint64_t number = 0;
    bool any = false;
    while (!cursor_.at_end() && cursor_.current() >= '0' && cursor_.current() <= '9') {
      number = std::min(number * 10 + (cursor_.current() - '0'), kMost + 1);
      any = true;
      cursor_.advance_over_space();
    }
    while (!cursor_.at_end() && is_white_space(cursor_.current())) cursor_.advance_over_space();
    if (!any || number > kMost) return std::nullopt;
    return static_cast<std::uint32_t>(number);
  }

  [[nodiscard]] std::unexpected<Problem> refuse_unclosed() const {
    return refuse({.begin = begin_,
                   .end = cursor_.position(),
                   .what = "the repetition that \"{\" begins is never closed.",
                   .advice = "Write a{2}, a{2,} or a{2,5}; for the brace itself write \\{.",
                   .escapable = true});
  }
  [[nodiscard]] std::unexpected<Problem> refuse_count() const {
    return refuse({.begin = begin_,
                   .end = cursor_.position(),
                   .what = "\"{\" begins a repetition, but no count follows.",
                   .advice = "Write a{2}, a{2,}, a{2,5} or a{0,5}; for the brace itself write \\{.",
                   .escapable = true});
  }

  Cursor& cursor_;
  const std::size_t begin_;
};

}  // namespace

Parsed<Repetition> parse_repetition_operator(Cursor& cursor) {
  Repetition repetition;
  switch (cursor.current()) {
    case '?': repetition = {.min = 0, .max = 1}; break;
    case '*': repetition = {.min = 0, .max = Hir::kUnbounded}; break;
    case '+': repetition = {.min = 1, .max = Hir::kUnbounded}; break;
    default: return CountParser(cursor).parse();
  }
  if (cursor.advance() && cursor.at('?')) {
    repetition.greedy = false;
    cursor.advance();
  }
  return repetition;
}

}  // namespace helve::regex
