// Answers what a server asks of whoever uses it: roots, a person's input, a model's words.
#pragma once

#include <chrono>
#include <expected>
#include <stop_token>
#include <string>

#include "gateway/channel.h"

namespace helve::gateway {

struct AskingServer {
  std::string name = {};
  std::string workspace = {};  // an absolute path
};

// The result of `method`, or the failure to tell the server. Waits for the person or the model. `caller` may
// be null: then nobody is asked.
[[nodiscard]] std::expected<Json, rpc::Failure> answer_server(const std::string& method, const Json& params,
                                                              const AskingServer& server,
                                                              const Caller* caller,
                                                              const std::stop_token& stop);

// Members that the person left out get the defaults that the form's schema gives.
void fill_in_defaults(const Json& schema, Json& content);

}  // namespace helve::gateway
