// Answers the requests that a server sends to its client: roots, elicitation, sampling.
#pragma once

#include <chrono>
#include <expected>
#include <stop_token>
#include <string>

#include "gateway/channel.h"

namespace helve::gateway {

struct ServerIdentity {
  std::string name = {};
  std::string workspace = {};  // an absolute path
};

// The result of `method`, or the failure to send to the server. Waits for the user or the model. If `caller`
// is null, neither is asked.
[[nodiscard]] std::expected<Json, rpc::Failure> answer_request(const std::string& method, const Json& params,
                                                               const ServerIdentity& server,
                                                               const Caller* caller,
                                                               const std::stop_token& stop);

// Sets members that the user left out to the defaults of the form's schema.
void fill_in_defaults(const Json& schema, Json& content);

}  // namespace helve::gateway
