// Makes the way to a configured server: a process, or HTTP.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gateway/channel.h"
#include "gateway/server_config.h"
#include "helve/log.h"

namespace helve::gateway {

struct ChannelOptions {
  std::string workspace = {};
  std::string state_directory = {};
  std::string launcher = {};
  std::function<void(const std::string& server, const std::string& url)> open_url = {};
};

// Listener and logger must outlive the channel.
[[nodiscard]] Expected<std::unique_ptr<Channel>> open_channel(const ServerConfig& config,
                                                              const ChannelOptions& options,
                                                              Listener& listener, Logger& logger);

}  // namespace helve::gateway
