// Removes secrets from text and JSON before they are stored or logged.
#pragma once

#include <string>
#include <string_view>

#include "helve/json.h"

namespace helve {

// Replaces known tokens, values such as in `password=…`, and passwords in URLs by [redacted].
[[nodiscard]] std::string redact_text(std::string_view text);

// Whether the text holds such a secret, or a private key.
[[nodiscard]] bool holds_secret(std::string_view text);

// True for names of likely secrets: password, apiKey, AUTH_TOKEN, …
[[nodiscard]] bool names_a_secret(std::string_view name);

// Redacts all strings and secret members. Strings over `max_string` characters become their length and
// SHA-256.
[[nodiscard]] Json redact_json(const Json& value, std::size_t max_string);

}  // namespace helve
