// Caches the tools of servers, so that they are available before the server has started.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "gateway/remote_tool.h"
#include "gateway/server_config.h"
#include "gateway/server_link.h"

namespace helve::gateway {

struct CachedServer {
  rpc::Protocol protocol = rpc::Protocol::kSessionBased;
  std::vector<RemoteTool> tools = {};
  std::optional<Json> capabilities = {};
  std::chrono::system_clock::duration age = {};
};

// One file per server below the state directory, bound to the server's fingerprint. May be used from all
// threads.
class ToolCache {
 public:
  // With an empty directory nothing is cached.
  explicit ToolCache(std::string directory) : directory_(std::move(directory)) {}

  [[nodiscard]] std::optional<CachedServer> find(const ServerConfig& config) const;
  [[nodiscard]] Expected<void> keep(const ServerConfig& config, const ServerStatus& status) const;

 private:
  [[nodiscard]] std::string path_for(const ServerConfig& config) const;

  const std::string directory_;
};

}  // namespace helve::gateway
