// Turns the errors of model servers into messages that tell the user what to do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "http/message.h"

namespace helve::model {

// The target of a request, as far as errors refer to it.
struct Endpoint {
  std::string place = {};  // "api.openai.com"
  std::string model = {};
  std::string key_variable = {};  // empty: no key is used
  std::string key_source = {};    // "the variable OPENAI_API_KEY"; empty without a key
  std::string keys_file = {};
  std::vector<std::string> secrets = {};  // must not appear in errors
};

// Errors have a kind kModel…, and "status" in their details if the server sent one.

// For an answer with an error status.
[[nodiscard]] Error answer_error(int status, const http::Headers& headers, std::string_view body,
                                 const Endpoint& endpoint);
// For an error reported inside a stream or with a success status.
[[nodiscard]] Error reported_error(const Json& report, const Endpoint& endpoint);
// For a reply that ended too early; transient.
[[nodiscard]] Error cut_error(std::string_view what, const Endpoint& endpoint);
// For an answer that cannot be parsed.
[[nodiscard]] Error malformed_error(std::string_view what, std::string_view sample, const Endpoint& endpoint);

// Whether the conversation no longer fits the context window.
[[nodiscard]] inline bool is_context_full(const Error& error) {
  return error.kind == ErrorKind::kModelContextFull;
}

// Redacts the endpoint's secrets and known token formats.
[[nodiscard]] std::string without_secrets(std::string_view text, const Endpoint& endpoint);
[[nodiscard]] Error without_secrets(Error error, const Endpoint& endpoint);

}  // namespace helve::model
