// MCP over stdin and stdout: one client, one message per line.
#pragma once

#include <memory>

#include "mcp/server.h"

namespace helve::mcp {

struct StdioOptions {
  int in = 0;
  int out = 1;
  std::size_t longest_message = std::size_t{64} << 20;
  std::size_t most_threads = 160;  // one reads, the others work; further requests are queued
};

// Returns when the input has ended and all its requests are answered, or when the output is closed.
void serve_stdio(Server& server, const std::shared_ptr<Client>& client, const StdioOptions& options);

}  // namespace helve::mcp
