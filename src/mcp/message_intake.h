// Reads an incoming message or batch and dispatches it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "mcp/server.h"

namespace helve::mcp {

// The requests of one message or batch, each with its responder.
struct Intake {
  struct Asked {
    rpc::Request request;
    std::shared_ptr<Responder> responder;
  };
  std::vector<Asked> requests = {};
};

// Handles notifications and responses at once and returns the requests for the caller to serve. Invalid
// messages are answered through `responder`. The answers of a batch are collected and given to
// `answer_batch`.
[[nodiscard]] Intake take_in(Server& server, const std::shared_ptr<Client>& client, Json message,
                             const std::shared_ptr<Responder>& responder,
                             const std::function<void(JsonArray)>& answer_batch);

// The answer to text that is not JSON.
[[nodiscard]] rpc::Response not_json(const Error& problem, std::string_view text);

}  // namespace helve::mcp
