// What a server offered the last time, so that its tools are there before it is.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "gateway/remote_tool.h"
#include "gateway/server_config.h"
#include "gateway/server_link.h"

namespace helve::gateway {

struct RememberedServer {
  rpc::Era era = rpc::Era::kOld;
  std::vector<RemoteTool> tools = {};
  std::chrono::system_clock::duration age = {};
};

// Files below the state directory, one per server. A description of another server is never taken for this
// one's. May be used from all threads.
class ToolCache {
 public:
  // An empty directory: nothing is kept.
  explicit ToolCache(std::string directory) : directory_(std::move(directory)) {}

  [[nodiscard]] std::optional<RememberedServer> find(const ServerConfig& config) const;
  [[nodiscard]] Expected<void> keep(const ServerConfig& config, const ServerStatus& status) const;

 private:
  [[nodiscard]] std::string path_for(const ServerConfig& config) const;

  const std::string directory_;
};

}  // namespace helve::gateway
