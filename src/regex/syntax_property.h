// \p{…} and \P{…}.
#pragma once

#include "regex/syntax_escape.h"

namespace helve::regex {

// With the cursor at the p; `begin` is where its backslash stands.
[[nodiscard]] Parsed<Primitive> parse_property(Cursor& cursor, const Flags& flags, std::size_t begin);

}  // namespace helve::regex
