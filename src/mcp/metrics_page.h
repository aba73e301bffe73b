// What `helve serve` tells a monitoring system about itself, as Prometheus' text format 0.0.4.
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
  std::size_t sessions = 0;                   // of MCP's old era; the modern one has none
  std::size_t connections = 0;                // of HTTP
  std::map<int, std::uint64_t> refused = {};  // requests that nobody handled, by status
  Json runtime = {};                          // Runtime::metrics()
};

// With what the kernel says about this process. The only labels with values from outside are names of tools
// that are or were registered, and of those no more than core/metrics.h counts apart.
[[nodiscard]] std::string metrics_page(const MetricsFacts& facts);

// The answer to a request for the page that has passed the guard.
[[nodiscard]] http::Response metrics_response(const http::Request& request, const MetricsFacts& facts);

}  // namespace helve::mcp
