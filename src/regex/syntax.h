// Patterns in the syntax of Rust's regex crate, which is ripgrep's, read into a Hir.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "helve/error.h"
#include "regex/hir.h"

namespace helve::regex {

struct SyntaxOptions {
  bool ignore_case = false;
  // A match may go over lines. Otherwise nothing in a pattern matches a line break: classes lose it, and a
  // pattern that asks for it by name is refused.
  bool across_lines = false;
  bool dot_matches_line_break = false;
  // \r\n ends a line too, for ^, $ and the dot.
  bool crlf = false;
  // The pattern is text, not a regular expression.
  bool literal = false;
};

// INVALID_ARGUMENT with the place in the pattern, what is wrong there and, where one can be guessed, what was
// meant: details {pattern, offset, length, suggestion}.
[[nodiscard]] Expected<Hir> parse(std::string_view pattern, const SyntaxOptions& options);

// The pattern that matches exactly `text`.
[[nodiscard]] std::string escape(std::string_view text);

}  // namespace helve::regex
