// What stands between ( and the contents of a group: flags, a name, or nothing.
#pragma once

#include <set>
#include <string>

#include "regex/syntax_cursor.h"
#include "regex/syntax_flags.h"
#include "regex/syntax_problem.h"

namespace helve::regex {

struct GroupOpening {
  Flags flags = {};         // as they hold from here on
  bool only_flags = false;  // (?i): no group follows, the flags hold to the end of the one around
};

// With the cursor at the parenthesis; leaves it at the contents. `names` are those of the groups before.
[[nodiscard]] Parsed<GroupOpening> parse_group_opening(Cursor& cursor, const Flags& flags,
                                                       std::set<std::u32string>& names);

}  // namespace helve::regex
