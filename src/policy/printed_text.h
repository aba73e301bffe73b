// The text that commands print or pass on, if their words tell it: printf, echo -e, base64 -d, tr, rev.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace helve::policy {

// Replaces \n, \x41, \101 and the like, as `echo -e` and `printf` do.
[[nodiscard]] std::string without_escapes(std::string_view text);

// What `printf FORMAT ARGUMENTS` prints; `words` begins with the format. Flags and widths are ignored.
[[nodiscard]] std::string formatted(std::span<const std::string> words);

// What a program makes of its input; `words` begins with its name. None when the program is not a known
// filter.
[[nodiscard]] std::optional<std::string> filtered(std::span<const std::string> words, std::string_view input);

}  // namespace helve::policy
