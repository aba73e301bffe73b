// Parses the opening of a group: flags, a name, or nothing.
#pragma once

#include <set>
#include <string>

#include "regex/syntax_cursor.h"
#include "regex/syntax_error.h"
#include "regex/syntax_flags.h"

namespace helve::regex {

struct GroupOpening {
  Flags flags = {};         // the flags from here on
  bool only_flags = false;  // (?i): not a group; the flags apply to the end of the enclosing group
};

// Moves the cursor from the parenthesis to the contents. `names` holds the names of earlier groups.
[[nodiscard]] Parsed<GroupOpening> parse_group_opening(Cursor& cursor, const Flags& flags,
                                                       std::set<std::u32string>& names);

}  // namespace helve::regex
