// Takes a message, or a batch of them, to where it belongs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "mcp/server.h"

namespace helve::mcp {

// Requests that came together, with the responder for each.
struct Intake {
  struct Asked {
    rpc::Request request;
    std::shared_ptr<Responder> responder;
  };
  std::vector<Asked> requests = {};
};

// Notifications and responses are dealt with at once; requests are given back to be served. What cannot be
// read is answered through `responder`, and so are the requests: one by one, or as one array when they came
// as one.
[[nodiscard]] Intake take_in(Server& server, const std::shared_ptr<Client>& client, Json message,
                             const std::shared_ptr<Responder>& responder,
                             const std::function<void(JsonArray)>& answer_batch);

// For text that is no JSON.
[[nodiscard]] rpc::Response not_json(const Error& problem);

}  // namespace helve::mcp
