// Takes secrets out of text and JSON before they are written down.
#pragma once

#include <string>
#include <string_view>

#include "helve/json.h"

namespace helve {

// Known token forms, `password=…` and the like, and passwords in URLs become [redacted].
[[nodiscard]] std::string redact_text(std::string_view text);

// Whether a member of this name is likely to hold a secret: password, apiKey, AUTH_TOKEN, …
[[nodiscard]] bool names_a_secret(std::string_view name);

// The same structure without secrets; strings over `max_string` characters become their length and SHA-256.
[[nodiscard]] Json redact_json(const Json& value, std::size_t max_string);

}  // namespace helve
