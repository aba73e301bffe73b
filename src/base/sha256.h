// SHA-256, as lower-case hexadecimal text.
#pragma once

#include <string>
#include <string_view>

namespace helve {

[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace helve
