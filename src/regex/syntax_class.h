// Parses bracketed classes: [a-z&&[^aeiou]].
#pragma once

#include <cstddef>

#include "regex/code_set.h"
#include "regex/syntax_cursor.h"
#include "regex/syntax_error.h"
#include "regex/syntax_flags.h"

namespace helve::regex {

// Maximum nesting depth of a pattern, counted as in ripgrep.
inline constexpr std::size_t kNestLimit = 250;

// Limits the total number of ranges in the sets of a pattern, so that many \w cannot exhaust memory.
class RangeBudget {
 public:
  [[nodiscard]] bool spend(std::size_t ranges) {
    if (ranges > left_) return false;
    left_ -= ranges;
    return true;
  }

 private:
  std::size_t left_ = 2'000'000;
};

struct ClassNode {
  CodeSet set = {};  // code points or, without Unicode, bytes
  std::size_t depth = 0;
};

// The cursor is at the bracket.
[[nodiscard]] Parsed<ClassNode> parse_class(Cursor& cursor, const Flags& flags, RangeBudget& budget,
                                            std::size_t nesting = 0);

[[nodiscard]] Problem too_deep(std::size_t begin, std::size_t end);
[[nodiscard]] Problem too_large(std::size_t begin, std::size_t end);

}  // namespace helve::regex
