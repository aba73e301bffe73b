// Brings the tools of other MCP servers into a registry, as mcp__server__tool.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
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
  // Adds the saved tools to the registry, without starting a server. With terms, the servers of which nothing
  // is saved start, and it waits for them.
  void offer_saved(const std::optional<Terms>& start_others);
  // Replaces the configuration: servers that are gone or changed end, new and changed ones start as with
  // start(), and the others are left alone.
  void set_servers(std::vector<ServerConfig> servers);
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
  [[nodiscard]] std::vector<Problem> problems() const;
  // The servers by their label in names: mcp__label__tool.
  [[nodiscard]] std::map<std::string, std::shared_ptr<ServerLink>> links() const;

 private:
  struct Entry;
  using Entries = std::vector<std::shared_ptr<Entry>>;
  // Outlives the gateway in calls that wait for a server's start.
  struct Links {
    mutable std::mutex mutex = {};
    std::map<std::string, std::shared_ptr<ServerLink>> by_label = {};
  };

  [[nodiscard]] std::shared_ptr<Entry> make_entry(const ServerConfig& config, const std::string& label);
  void start_entry(Entry& entry);
  void close(const Entries& entries);
  [[nodiscard]] Entries entries() const;
  void offer(Entry& entry, const std::vector<RemoteTool>& tools);

  const GatewayOptions options_;
  Registry& registry_;
  Logger logger_;
  ToolCache cache_;
  const std::shared_ptr<Links> links_ = std::make_shared<Links>();
  const Registry::Subscription source_;  // for calls that come before the tools
  std::mutex changing_;                  // held while the servers are replaced
  mutable std::mutex mutex_;             // guards the members below
  std::vector<Problem> problems_;
  Entries entries_;
  bool started_ = false;
};

}  // namespace helve::gateway
