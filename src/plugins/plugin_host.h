// Finds plugins in their folders, adds their tools to a registry, and keeps up when the folders change.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "helve/registry.h"
#include "helve/settings.h"
#include "plugins/manifest.h"

namespace helve::plugins {

struct PluginFolders {
  std::string user = {};     // $XDG_DATA_HOME/helve/plugins
  std::string project = {};  // .helve/plugins of the workspace; only when the person trusts it
};
// As they are for this user and workspace.
[[nodiscard]] Expected<PluginFolders> plugin_folders(const std::string& workspace);

struct Plugin {
  Manifest manifest;
  std::string file;       // the manifest: NAME/plugin.toml or NAME.toml in a folder
  std::string directory;  // where its own files lie
  bool of_project = false;
};

// A plugin that is left out, and why. The others do not mind.
struct PluginProblem {
  std::string file;
  Error error;
};

// Reads one manifest and checks it as if it were loaded.
[[nodiscard]] Expected<Plugin> read_plugin(const std::string& file);

// Every plugin in the folders, in the order of their names; the user's first.
struct FoundPlugins {
  std::vector<Plugin> plugins;
  std::vector<PluginProblem> problems;
};
[[nodiscard]] FoundPlugins find_plugins(const PluginFolders& folders);

// The tools of a plugin, whatever kind it is of.
[[nodiscard]] Expected<std::vector<std::unique_ptr<Tool>>> make_tools(const Plugin& plugin,
                                                                      const Settings& settings);

// Owned by a door; not for use from several threads. The tools stay in the registry when it goes.
class PluginHost {
 public:
  // The registry must outlive it.
  PluginHost(Registry& registry, PluginFolders folders, Settings settings)
      : registry_(registry), folders_(std::move(folders)), settings_(std::move(settings)) {}

  // Adds what is new, takes away what is gone, and both for what has changed. Returns what is left out.
  std::vector<PluginProblem> refresh();

 private:
  struct Loaded {
    std::string text_hash;  // of the manifest
    std::vector<std::string> tools;
  };
  [[nodiscard]] Expected<std::vector<std::string>> load(const Plugin& plugin);

  Registry& registry_;
  const PluginFolders folders_;
  const Settings settings_;
  std::map<std::string, Loaded> loaded_;  // by file
};

}  // namespace helve::plugins
