// Decides which variables of the environment hold secrets, by their names and values.
#pragma once

#include <algorithm>
#include <string_view>

namespace helve::process {

// A star at either end of the pattern matches anything.
[[nodiscard]] bool matches_name(std::string_view name, std::string_view pattern);

template <class Patterns>
[[nodiscard]] bool matches_any_name(std::string_view name, const Patterns& patterns) {
  return std::ranges::any_of(patterns, [&](const auto& pattern) { return matches_name(name, pattern); });
}

// Whether commands do not get the variable unless its name is allowed: a name such as GH_TOKEN, a value with
// a known token or a password, or a name that tells of a secret (TOKEN_PROD) together with a random value.
[[nodiscard]] bool is_secret_variable(std::string_view name, std::string_view value);

// Whether a part of the value has no order: a key or a token, not a word, a path, a number or a UUID.
[[nodiscard]] bool looks_random(std::string_view value);

}  // namespace helve::process
