// Base64 as in RFC 4648, with padding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace helve {

[[nodiscard]] std::string to_base64(std::string_view bytes);
// Returns nothing if the text is not base64.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace helve
