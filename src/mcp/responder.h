// The way back to the client for one request: a line on stdout, or an HTTP answer that may become a stream.
#pragma once

#include "helve/json.h"
#include "rpc/message.h"

namespace helve::mcp {

// Shared by the transport and the call. May be used from all threads.
class Responder {
 public:
  virtual ~Responder() = default;
  // A notification, or in the old era a request of ours, that belongs to this request and comes before its
  // answer.
  virtual void send(const Json& message) = 0;
  // The one and only answer.
  virtual void answer(rpc::Response response) = 0;
  // Ends the connection for now; an old-era client comes back for the rest.
  virtual void close_stream() {}
};

}  // namespace helve::mcp
