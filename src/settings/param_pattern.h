// The `pattern` of a string parameter: an ECMAScript regular expression, matched in linear time.
#pragma once

#include <string_view>

#include "helve/error.h"
#include "regex/regex.h"

namespace helve::settings {

// Compiles the pattern with Helve's own engine. INVALID_ARGUMENT when it is not a regular expression or needs
// look-around or back-references, which no linear-time engine has.
[[nodiscard]] Expected<regex::Regex> compile_param_pattern(std::string_view pattern);

// Whether the pattern matches somewhere in the text. A pattern that does not compile matches everything: the
// registry refuses such patterns in Helve's own tools, and other servers check their arguments themselves.
[[nodiscard]] bool matches_param_pattern(std::string_view pattern, std::string_view text);

}  // namespace helve::settings
