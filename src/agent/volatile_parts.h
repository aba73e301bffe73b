// Replaces the parts of a text that differ between runs: ids, times and durations.
#pragma once

#include <string>
#include <string_view>

namespace helve::agent {

// "took 12 ms at 2026-11-15T03:42:07Z in bg_k3v9x2m1" → "took # at # in #". Linear in the text.
[[nodiscard]] std::string without_volatile_parts(std::string_view text);

}  // namespace helve::agent
