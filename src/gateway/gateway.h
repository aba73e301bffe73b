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
  std::string workspace = {};  // an absolute path
  std::string state_directory =
      {};                     // for tokens and for what servers offered the last time; empty: nothing is kept
  std::string launcher = {};  // starts the servers' processes; see process/spawn.h
  Offers offers = {};         // what the sessions of this program can do for a server
  // Brings an address to a person, who has to log in there. Null: whoever needs that cannot be reached.
  std::function<void(const std::string& server, const std::string& url)> open_url = {};
};

// Owned by a door, and destroyed before the registry. May be used from all threads.
class Gateway {
 public:
  // The registry must outlive it. Servers that are described wrongly are logged and left out.
  Gateway(GatewayOptions options, Registry& registry, LogLevel log_level = LogLevel::kWarning,
          Logger::Format log_format = Logger::Format::kPlain);
  // Takes all its tools away and ends the servers.
  ~Gateway();
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;

  // Returns at once. What servers offered the last time is there when it does; those of which nothing recent
  // is known are started in the background, the others when they are first called.
  void start();
  // Starts all, and waits until each is ready or has failed.
  void start_all(const Terms& terms);
  [[nodiscard]] std::vector<ServerStatus> status() const;
  // The names of its tools that are in the registry now, those that the settings disable included.
  [[nodiscard]] std::vector<std::string> offered() const;
  [[nodiscard]] std::vector<Error> problems() const { return problems_; }

 private:
  struct Entry;

  void add_server(const ServerConfig& config, const std::string& label);
  void offer(Entry& entry, const std::vector<RemoteTool>& tools);

  const GatewayOptions options_;
  Registry& registry_;
  Logger logger_;
  ToolCache cache_;
  std::vector<Error> problems_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace helve::gateway
