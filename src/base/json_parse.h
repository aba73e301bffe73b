// Parses JSON strictly: rejects duplicate keys, invalid UTF-8, and text that is too deep or too large.
#pragma once

#include <cstddef>
#include <string_view>

#include "helve/error.h"
#include "helve/json.h"

namespace helve {

struct JsonLimits {
  std::size_t max_depth = 64;
  std::size_t max_bytes = std::size_t{64} << 20;
  std::size_t max_values = 2'000'000;  // each costs far more memory than its text
};

// Errors give the line and column, and for duplicate keys the path (`edits[1].oldText`).
[[nodiscard]] Expected<Json> parse_json(std::string_view text, const JsonLimits& limits = {});

}  // namespace helve
