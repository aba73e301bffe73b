// MCP over a pair of pipes: one client, a message per line.
#pragma once

#include <memory>

#include "mcp/server.h"

namespace helve::mcp {

struct StdioOptions {
  int in = 0;
  int out = 1;
  std::size_t longest_message = std::size_t{64} << 20;
  std::size_t most_threads = 160;  // one reads, the others work; more calls wait their turn
};

// Returns when the input has ended and what it asked for is answered; or when nobody reads the answers any
// more.
void serve_stdio(Server& server, const std::shared_ptr<Client>& client, const StdioOptions& options);

}  // namespace helve::mcp
