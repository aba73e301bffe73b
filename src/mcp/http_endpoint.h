// MCP over Streamable HTTP: the session-based and the stateless protocol behind one path.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "core/worker_pool.h"
#include "http/server.h"
#include "mcp/http_sessions.h"
#include "mcp/server.h"

namespace helve::mcp {

// Handles the requests of an HTTP server, which must be destroyed first. May be used from all threads.
class HttpEndpoint {
 public:
  // Behind a proxy, a connection does not identify a client.
  HttpEndpoint(Server& server, HttpSessions::Limits limits, bool behind_proxy = false)
      : server_(server),
        behind_proxy_(behind_proxy),
        sessions_(server, limits, [this, limits] { sweep(limits); }) {}

  // Handles a request to the endpoint's path that the guard admitted.
  void handle(http::Exchange& exchange);
  [[nodiscard]] std::size_t open_sessions() const { return sessions_.count(); }

 private:
  void sweep(const HttpSessions::Limits& limits);
  void post(http::Exchange& exchange);
  void post_stateless(http::Exchange& exchange, rpc::Request request);
  void post_in_session(http::Exchange& exchange, Json message);
  void initialize(http::Exchange& exchange, rpc::Request request);
  void get(http::Exchange& exchange);
  void end_session(http::Exchange& exchange);

  [[nodiscard]] std::shared_ptr<HttpSession> session_of(http::Exchange& exchange,
                                                        const Json& request_id = {});

  Server& server_;
  const bool behind_proxy_;
  StatelessSessions stateless_sessions_;
  std::chrono::steady_clock::time_point memory_returned_ = {};  // used only by the sweeping thread
  // Destroyed after the sessions: it waits for its jobs, which the end of the sessions cancels.
  core::WorkerPool workers_;
  HttpSessions sessions_;
};

}  // namespace helve::mcp
