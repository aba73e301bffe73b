// What stands after a backslash.
#pragma once

#include <cstdint>

#include "regex/code_set.h"
#include "regex/hir.h"
#include "regex/syntax_cursor.h"
#include "regex/syntax_flags.h"
#include "regex/syntax_problem.h"

namespace helve::regex {

// The smallest piece of a pattern.
struct Primitive {
  enum class Kind : std::uint8_t {
    kCode,  // the character `code`
    kByte,  // the byte `code`, from 0x80 on: \xFF without Unicode
    kSet,   // one of `set`: code points or, without Unicode, bytes
    kLook,
  };
  Kind kind = Kind::kCode;
  char32_t code = 0;
  CodeSet set = {};
  Look look = Look::kTextStart;
  std::size_t begin = 0;  // where it stands in the pattern
  std::size_t end = 0;
};

// With the cursor at the backslash.
[[nodiscard]] Parsed<Primitive> parse_escape(Cursor& cursor, const Flags& flags);

}  // namespace helve::regex
