// What a server says went wrong, in words for the person who has to do something about it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "http/message.h"

namespace helve::model {

// Whom a request went to, as far as an error has to name it.
struct Addressee {
  std::string place = {};  // "api.openai.com"
  std::string model = {};
  std::string key_variable = {};  // empty: none is looked for
  std::string key_source = {};    // "the variable OPENAI_API_KEY"; empty when there is no key
  std::string keys_file = {};
  std::vector<std::string> secrets = {};  // what must not appear in any error
};

// Errors have "reason" in their details: key, model, context_full, rate_limit, quota, overloaded, server,
// request, cut, malformed; and "status" when the server gave one.

// For an answer whose status is no success.
[[nodiscard]] Error answer_error(int status, const http::Headers& headers, std::string_view body,
                                 const Addressee& addressee);
// For an error that is reported inside of a stream, or under a status of success.
[[nodiscard]] Error reported_error(const Json& report, const Addressee& addressee);
// The reply ended too early; transient.
[[nodiscard]] Error cut_error(std::string_view what, const Addressee& addressee);
// What came cannot be understood.
[[nodiscard]] Error malformed_error(std::string_view what, std::string_view sample,
                                    const Addressee& addressee);

[[nodiscard]] std::string_view reason_of(const Error& error);
// The conversation no longer fits; the numbers are 0 where the server did not give them.
[[nodiscard]] inline bool is_context_full(const Error& error) { return reason_of(error) == "context_full"; }

// The text without secrets, however they got there.
[[nodiscard]] std::string without_secrets(std::string_view text, const Addressee& addressee);
[[nodiscard]] Error without_secrets(Error error, const Addressee& addressee);

}  // namespace helve::model
