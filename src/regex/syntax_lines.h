// Keeps matches within lines: removes line breaks from classes and rejects patterns that require one.
#pragma once

#include <cstddef>
#include <optional>

#include "regex/code_set.h"
#include "regex/hir.h"
#include "regex/syntax.h"
#include "regex/syntax_error.h"

namespace helve::regex {

// Used by one parse.
class LineRules {
 public:
  explicit LineRules(const SyntaxOptions& options);

  // Records the first position that can match only a line break, for the error message.
  void notice(char32_t code, std::size_t begin, std::size_t end);
  void notice(const CodeSet& set, std::size_t begin, std::size_t end);

  [[nodiscard]] Parsed<Hir> confine(Hir hir) const;

 private:
  [[nodiscard]] bool strip(Hir& hir) const;

  CodeSet breaks_;  // empty if matches may span lines
  std::optional<Problem> place_;
};

}  // namespace helve::regex
