// Compares patterns without expanding them.
#pragma once

#include <string_view>

namespace helve::policy {

// Whether some text matches both patterns; `star` matches any text.
[[nodiscard]] bool can_meet(std::string_view one, std::string_view other, char star);

// Whether a shell could expand the first pattern to a name that the second one matches. Both are single
// components of paths. In the first, a wildcard at the start does not match a dot.
[[nodiscard]] bool can_expand_to(std::string_view shell_pattern, std::string_view glob);

}  // namespace helve::policy
