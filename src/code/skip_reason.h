// The reason for leaving a file out that may be gone the next time.
#pragma once

#include <string_view>

namespace helve::code {

inline constexpr std::string_view kTookTooLong = "parsing it took too long";

}  // namespace helve::code
