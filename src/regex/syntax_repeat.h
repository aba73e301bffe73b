// The operators that repeat: ? * + and {2,5}, lazy with another ? behind them.
#pragma once

#include <cstdint>

#include "regex/syntax_cursor.h"
#include "regex/syntax_problem.h"

namespace helve::regex {

struct Repetition {
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  bool greedy = true;
};

// With the cursor at the operator.
[[nodiscard]] Parsed<Repetition> parse_repetition_operator(Cursor& cursor);

}  // namespace helve::regex
