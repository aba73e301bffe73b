// Base64 as in RFC 4648, with padding.
#pragma once

#include <string>
#include <string_view>

namespace helve {

[[nodiscard]] std::string to_base64(std::string_view bytes);

}  // namespace helve
