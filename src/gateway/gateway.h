// Brings the tools of other MCP servers into a registry, as mcp__server__tool.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gateway/server_config.h"
#include "gateway/server_link.h"
#include "gateway/tool_cache.h"
#include "helve/log.h"
#include "helve/registry.h"

namespace helve::gateway {

struct GatewayOptions {
  std::vector<ServerConfig> servers = {};
  std::string workspace = {};        // absolute path
  std::string state_directory = {};  // for tokens and cached tool lists; empty: nothing is stored
  std::string launcher = {};         // starts the servers' processes; see process/spawn.h
  Offers offers = {};                // what this program can do for a server
  // Shows the user a URL to log in at. Null: the user cannot be reached.
  std::function<void(const std::string& server, const std::string& url)> open_url = {};
};

// Owned by the front end; must be destroyed before the registry. May be used from all threads.
class Gateway {
 public:
  // The registry must outlive it. Servers with an invalid configuration are logged and skipped.
  Gateway(GatewayOptions options, Registry& registry, LogLevel log_level = LogLevel::kWarning,
          Logger::Format log_format = Logger::Format::kPlain);
  // Removes its tools from the registry and ends the servers.
  ~Gateway();
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;

  // Returns at once, with the cached tools in the registry. Servers without a recent cache entry start in the
  // background, the others at their first call.
  void start();
  // Starts all servers and waits until each is ready or has failed.
  void start_all(const Terms& terms);
  [[nodiscard]] std::vector<ServerStatus> status() const;
  // The names of its tools in the registry, including those that the settings disable.
  [[nodiscard]] std::vector<std::string> offered() const;
  // The servers that were skipped, because their configuration is not valid.
  struct Problem {
    std::string server;
    Error error;
  };
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

 private:
  struct Entry;

  void add_server(const ServerConfig& config, const std::string& label);
  void offer(Entry& entry, const std::vector<RemoteTool>& tools);

  const GatewayOptions options_;
  Registry& registry_;
  Logger logger_;
  ToolCache cache_;
  std::vector<Problem> problems_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace helve::gateway
