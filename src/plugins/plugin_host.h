// Finds plugins in their folders, adds their tools to a registry, and keeps up when the folders change.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "helve/registry.h"
#include "helve/settings.h"
#include "plugins/plugin.h"
#include "plugins/served_plugin.h"

namespace helve::plugins {

struct PluginFolders {
  std::string user = {};     // $XDG_DATA_HOME/helve/plugins
  std::string project = {};  // .helve/plugins of the workspace; only when the person trusts it
};
// As they are for this user and workspace.
[[nodiscard]] Expected<PluginFolders> plugin_folders(const std::string& workspace);

// A plugin that is left out, and why. The others do not mind.
struct PluginProblem {
  std::string file;
  Error error;
};

// Every plugin in the folders, in the order of their names; the user's first.
struct FoundPlugins {
  std::vector<Plugin> plugins;
  std::vector<PluginProblem> problems;
};
[[nodiscard]] FoundPlugins find_plugins(const PluginFolders& folders);

// The names of a plugin's tools as callers know them.
[[nodiscard]] std::vector<std::string> tool_names_of(const Plugin& plugin);

// Owned by a door, and destroyed before the registry; not for use from several threads. Tools that are
// commands stay in the registry when it goes, those of processes go with it.
class PluginHost {
 public:
  struct Options {
    PluginFolders folders = {};
    Settings settings = {};
    PluginPlaces places = {};
    // Nothing is started for the sake of other tools than this; empty: all are wanted.
    std::string only_tool = {};
  };
  // The registry must outlive it.
  PluginHost(Registry& registry, Options options) : registry_(registry), options_(std::move(options)) {}

  // Adds what is new, takes away what is gone, and both for what has changed. Returns what is left out.
  std::vector<PluginProblem> refresh();
  // One plugin, wherever it lies: its tools, or why it cannot be loaded.
  [[nodiscard]] Expected<std::vector<std::string>> load(const Plugin& plugin);

 private:
  struct Loaded {
    std::string stamp;
    std::vector<std::string> tools;
    std::unique_ptr<ServedPlugin> process;  // null when its tools need none
  };
  [[nodiscard]] Expected<Loaded> begin(const Plugin& plugin);
  [[nodiscard]] Expected<void> finish(Loaded& loaded) const;
  [[nodiscard]] Expected<std::vector<std::unique_ptr<Tool>>> make_tools(const Plugin& plugin) const;
  [[nodiscard]] bool is_wanted(const Plugin& plugin) const;

  Registry& registry_;
  const Options options_;
  std::map<std::string, Loaded> loaded_;  // by file
  struct Failure {
    std::string stamp;
    Error error;
  };
  std::map<std::string, Failure> failed_;  // by file: not tried again before something changes
};

}  // namespace helve::plugins
