// How much two texts have in common at their ends.
#pragma once

#include <cstddef>
#include <string_view>

namespace helve {

[[nodiscard]] std::size_t common_prefix(std::string_view one, std::string_view other);
[[nodiscard]] std::size_t common_suffix(std::string_view one, std::string_view other);

}  // namespace helve
