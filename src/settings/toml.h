// Reads TOML as JSON values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"

namespace helve::settings {

// Dates become text. The error says line and column in `name`.
[[nodiscard]] Expected<Json> parse_toml(std::string_view text, std::string_view name);

// A table that has a [header] of its own: its keys from the root, and the header's line, counting from 1.
struct TomlHeader {
  std::vector<std::string> path = {};
  std::size_t line = 0;
};
// In the order of their lines; also those of [[lists]]. Nothing when the text is not TOML.
[[nodiscard]] std::vector<TomlHeader> toml_headers(std::string_view text);

}  // namespace helve::settings
