// Options of shells that do not change which programs a text runs.
#pragma once

#include <string_view>

namespace helve::shell {

// For `set -x` and `sh -x`.
[[nodiscard]] bool is_safe_shell_letter(char letter);
// For `set -o name`.
[[nodiscard]] bool is_safe_shell_option(std::string_view name);
// For `shopt -s name`.
[[nodiscard]] bool is_safe_shopt(std::string_view name);

}  // namespace helve::shell
