// Reads TOML as JSON values.
#pragma once

#include <string_view>

#include "helve/error.h"
#include "helve/json.h"

namespace helve {

// Dates become text. The error says line and column in `name`.
[[nodiscard]] Expected<Json> parse_toml(std::string_view text, std::string_view name);

}  // namespace helve
