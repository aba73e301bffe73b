// The metrics page of `helve serve`, in Prometheus text format 0.0.4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "helve/json.h"
#include "http/message.h"

namespace helve::mcp {

struct MetricsFacts {
  std::string version = {};
  std::size_t sessions = 0;                   // of the session-based protocol
  std::size_t connections = 0;                // open HTTP connections
  std::map<int, std::uint64_t> refused = {};  // refused requests by HTTP status
  Json runtime = {};                          // Runtime::metrics()
};

// Includes the kernel's figures for this process. Clients cannot create labels: tool names come only from
// registered tools, up to the limit in core/metrics.h.
[[nodiscard]] std::string metrics_page(const MetricsFacts& facts);

// Answers a request for the page that the guard admitted.
[[nodiscard]] http::Response metrics_response(const http::Request& request, const MetricsFacts& facts);

}  // namespace helve::mcp
