// Parses patterns in the syntax of ripgrep (Rust's regex crate) into a Hir.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "helve/error.h"
#include "regex/hir.h"

namespace helve::regex {

struct SyntaxOptions {
  bool ignore_case = false;
  // A match may span lines. Otherwise nothing matches a line break: it is removed from classes, and a pattern
  // that requires one is rejected.
  bool across_lines = false;
  bool dot_matches_line_break = false;
  // \r\n is also a line ending for ^, $ and the dot.
  bool crlf = false;
  // The pattern is literal text, not a regular expression.
  bool literal = false;
  // A match must have no word characters beside it (-w), or be a whole line (-x).
  enum class Whole { kNo, kWord, kLine };
  Whole whole = Whole::kNo;
};

// Fails with INVALID_ARGUMENT, naming the position, the problem and, if possible, a corrected pattern:
// details {pattern, offset, length, suggestion}.
[[nodiscard]] Expected<Hir> parse(std::string_view pattern, const SyntaxOptions& options);

// Returns a pattern that matches exactly `text`.
[[nodiscard]] std::string escape(std::string_view text);

}  // namespace helve::regex
