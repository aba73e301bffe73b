// A plugin that is a process with tools: a program that speaks MCP, or Helve itself around a library. Both
// are to the gateway what other MCP servers are: started when needed, started again when they have gone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gateway/gateway.h"
#include "helve/registry.h"
#include "helve/settings.h"
#include "plugins/plugin.h"

namespace helve::plugins {

// Begins the lines in which the process around a library says what is wrong with it.
inline constexpr std::string_view kPluginSays = "helve-plugin: ";

// Of the runtime that the plugin is for.
struct PluginPlaces {
  std::string workspace = {};  // an absolute path
  std::string state_directory = {};
  std::string launcher = "/proc/self/exe";  // starts the processes, and is the process around a library
};

// How the gateway gets to it. Tools that only read or use the network are held to that by walls. A plugin
// with a tool that says it does more can write in the workspace as commands can, and all its tools count as
// able to do that. Only those that the settings name run without walls.
[[nodiscard]] gateway::ServerConfig server_of(const Plugin& plugin, const Settings& settings,
                                              const PluginPlaces& places);

// Owned by the host of plugins, and destroyed before the registry; takes its tools along.
class ServedPlugin {
 public:
  // The registry must outlive it.
  ServedPlugin(const Plugin& plugin, const Settings& settings, const PluginPlaces& places,
               Registry& registry);

  // Returns at once. What it offered the last time is there when it does.
  void start() { gateway_.start(); }
  // Waits until its tools are there. Their names, or why it is left out.
  [[nodiscard]] Expected<std::vector<std::string>> settle();

 private:
  [[nodiscard]] std::vector<std::string> missing() const;
  [[nodiscard]] Error why_missing(const std::vector<std::string>& missing) const;

  Registry& registry_;
  const std::string name_;
  const std::string file_;
  const std::chrono::milliseconds patience_;
  std::vector<std::string> names_;  // as callers know the manifest's tools
  gateway::Gateway gateway_;
};

}  // namespace helve::plugins
