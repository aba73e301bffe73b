// Characters that make a command line look like something else than it is, and that no honest one needs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace helve::shell {

// Why the text is refused: control characters, white space that shells do not split at, invisible and
// reordering characters, bytes that are not UTF-8. Nothing when it is plain.
[[nodiscard]] std::optional<std::string> find_odd_character(std::string_view text);

}  // namespace helve::shell
