// Parses escapes: what follows a backslash.
#pragma once

#include <cstdint>

#include "regex/code_set.h"
#include "regex/hir.h"
#include "regex/syntax_cursor.h"
#include "regex/syntax_error.h"
#include "regex/syntax_flags.h"

namespace helve::regex {

// The smallest unit of a pattern.
struct Primitive {
  enum class Kind : std::uint8_t {
    kCode,  // the character `code`
    kByte,  // the byte `code`, at least 0x80: \xFF without Unicode
    kSet,   // one of `set`: code points or, without Unicode, bytes
    kLook,
  };
  Kind kind = Kind::kCode;
  char32_t code = 0;
  CodeSet set = {};
  Look look = Look::kTextStart;
  std::size_t begin = 0;  // its position in the pattern
  std::size_t end = 0;
};

// The cursor is at the backslash.
[[nodiscard]] Parsed<Primitive> parse_escape(Cursor& cursor, const Flags& flags);

}  // namespace helve::regex
