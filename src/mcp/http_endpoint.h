// MCP over Streamable HTTP: both eras behind one path.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "core/worker_pool.h"
#include "http/server.h"
#include "mcp/http_sessions.h"
#include "mcp/modern_seats.h"
#include "mcp/server.h"

namespace helve::mcp {

// Handles the requests of an HTTP server, which has to end before it. May be used from all threads.
class HttpEndpoint {
 public:
  HttpEndpoint(Server& server, HttpSessions::Limits limits)
      : server_(server), sessions_(server, limits, [this, limits] { sweep(limits); }) {}

  // For requests to the endpoint's path that have passed the guard.
  void handle(http::Exchange& exchange);
  [[nodiscard]] std::size_t open_sessions() const { return sessions_.count(); }

 private:
  void sweep(const HttpSessions::Limits& limits);
  void post(http::Exchange& exchange);
  void post_modern(http::Exchange& exchange, rpc::Request request);
  void post_old(http::Exchange& exchange, Json message);
  void initialize(http::Exchange& exchange, rpc::Request request);
  void get(http::Exchange& exchange);
  void end_session(http::Exchange& exchange);

  [[nodiscard]] std::shared_ptr<HttpSession> session_of(http::Exchange& exchange,
                                                        const Json& request_id = {});
  [[nodiscard]] std::shared_ptr<Client> modern_client(const rpc::Request& request);

  Server& server_;
  ModernSeats modern_seats_;
  std::chrono::steady_clock::time_point memory_returned_ = {};  // the sweeping thread alone
  WorkerPool workers_;     // waits for its jobs at its end, so it has to come after that of the sessions,
  HttpSessions sessions_;  // which cancels them
};

}  // namespace helve::mcp
