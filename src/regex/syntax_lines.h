// Keeps matches within lines: takes line breaks out of classes, and refuses a pattern that asks for one by
// name.
#pragma once

#include <cstddef>
#include <optional>

#include "regex/code_set.h"
#include "regex/hir.h"
#include "regex/syntax.h"
#include "regex/syntax_problem.h"

namespace helve::regex {

// Belongs to one parse.
class LineRules {
 public:
  explicit LineRules(const SyntaxOptions& options);

  // Remembers the first place that can match nothing but a line break, to point at when the pattern is
  // refused.
  void notice(char32_t code, std::size_t begin, std::size_t end);
  void notice(const CodeSet& set, std::size_t begin, std::size_t end);

  [[nodiscard]] Parsed<Hir> confine(Hir hir) const;

 private:
  [[nodiscard]] bool strip(Hir& hir) const;

  CodeSet breaks_;  // empty when matches may go over lines
  std::optional<Problem> place_;
};

}  // namespace helve::regex
