// A plugin that runs as an MCP server process: its own program, or Helve with a library. The gateway starts
// and restarts it like other servers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gateway/gateway.h"
#include "helve/registry.h"
#include "plugins/manifest.h"
#include "settings/groups.h"

namespace helve::plugins {

// Marks the stderr line in which the process of a library reports why it cannot be loaded.
inline constexpr std::string_view kPluginErrorPrefix = "helve-plugin: ";

// Paths of the runtime that uses the plugin.
struct PluginPlaces {
  std::string workspace = {};  // absolute path
  std::string state_directory = {};
  std::vector<std::string> trusted_programs = {};  // besides those of the settings
  std::string launcher = "/proc/self/exe";         // starts the processes, and runs libraries
};

// The gateway configuration of the plugin. The sandbox enforces tools that only read or use the network. If a
// tool declares more, the process may write in the workspace and all its tools count as execute. Only plugins
// that the settings name run without a sandbox.
[[nodiscard]] gateway::ServerConfig server_of(const Plugin& plugin, const settings::Groups& settings,
                                              const PluginPlaces& places);

// Owned by the plugin host; must be destroyed before the registry. Its destructor removes its tools.
class ServedPlugin {
 public:
  // The registry must outlive it.
  ServedPlugin(const Plugin& plugin, const settings::Groups& settings, const PluginPlaces& places,
               Registry& registry);

  // Returns at once, with the cached tools in the registry.
  void start() { gateway_.start(); }
  // Waits for its tools and returns their names.
  [[nodiscard]] Expected<std::vector<std::string>> settle();

 private:
  [[nodiscard]] std::vector<std::string> missing() const;
  [[nodiscard]] Error why_missing(const std::vector<std::string>& missing) const;

  Registry& registry_;
  const std::string name_;
  const std::string file_;
  const std::chrono::milliseconds start_time_;
  std::vector<std::string> names_;  // of the manifest's tools in the registry
  gateway::Gateway gateway_;
};

}  // namespace helve::plugins
