// Finds plugins, adds their tools to a registry, and reloads them when their directories change.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/file_watcher.h"
#include "helve/registry.h"
#include "plugins/served_plugin.h"
#include "settings/groups.h"

namespace helve::plugins {

struct PluginFolders {
  std::string user = {};     // $XDG_DATA_HOME/helve/plugins
  std::string project = {};  // .helve/plugins of the workspace, if it was trusted once
  // Why the project's plugins do not count now; empty: they do. Asked before each look at them.
  std::function<std::string()> why_not_project = {};
};
// The plugin directories of this user and workspace.
[[nodiscard]] Expected<PluginFolders> plugin_folders(const std::string& workspace);

// Why a plugin was skipped. The others are not affected.
struct PluginProblem {
  std::string file;
  Error error;
};

// All plugins in the directories, sorted by name; the user's first.
struct FoundPlugins {
  std::vector<Plugin> plugins;
  std::vector<PluginProblem> problems;
};
[[nodiscard]] FoundPlugins find_plugins(const PluginFolders& folders);

// The names of a plugin's tools in the registry.
[[nodiscard]] std::vector<std::string> tool_names_of(const Plugin& plugin);

// Owned by the front end; must be destroyed before the registry. Not thread-safe. Its destructor removes the
// tools of plugin processes; command tools stay in the registry.
class PluginHost {
 public:
  struct Options {
    PluginFolders folders = {};
    std::shared_ptr<const Settings> settings = settings::default_settings();  // not null
    PluginPlaces places = {};
    // Start only the plugin that has this tool; empty: start all.
    std::string only_tool = {};
  };
  // The registry must outlive it.
  PluginHost(Registry& registry, Options options)
      : registry_(registry), options_(std::move(options)), settings_(*options_.settings) {}

  // Loads new plugins, unloads removed ones and reloads changed ones. Returns the skipped ones.
  std::vector<PluginProblem> refresh();
  // Loads one plugin from any directory and returns the names of its tools.
  [[nodiscard]] Expected<std::vector<std::string>> load(const Plugin& plugin);

 private:
  struct Loaded {
    std::string stamp;
    std::vector<std::string> tools;
    std::unique_ptr<ServedPlugin> process;  // null if its tools need none
  };
  [[nodiscard]] Expected<Loaded> begin(const Plugin& plugin);
  [[nodiscard]] Expected<void> finish(Loaded& loaded) const;
  [[nodiscard]] Expected<std::vector<std::unique_ptr<Tool>>> make_tools(const Plugin& plugin) const;
  [[nodiscard]] bool is_wanted(const Plugin& plugin) const;

  Registry& registry_;
  const Options options_;
  const settings::Groups settings_;       // refers to options_
  std::map<std::string, Loaded> loaded_;  // by file
  struct Failure {
    std::string stamp;
    Error error;
  };
  std::map<std::string, Failure> failed_;  // by file; retried after a change
};

// Watches the plugin directories and refreshes the registry on another thread. Kept by the runtime
// (Runtime::keep) that owns the registry.
class PluginWatch {
 public:
  using Report = std::function<void(const std::vector<PluginProblem>&)>;
  // Loads the plugins before it returns. `report` gets the skipped plugins, first on this thread and after
  // each change on the watching thread.
  PluginWatch(Registry& registry, PluginHost::Options options, Report report);
  ~PluginWatch();
  PluginWatch(const PluginWatch&) = delete;
  PluginWatch& operator=(const PluginWatch&) = delete;

 private:
  void run(const std::stop_token& stop);
  void refresh();
  // False if a directory cannot be watched, so that polling is needed.
  [[nodiscard]] bool watch_all();
  [[nodiscard]] bool watch_folder(const std::string& folder);
  [[nodiscard]] bool add(Expected<FileWatcher::Handle> handle);

  const PluginFolders folders_;
  const Report report_;
  PluginHost host_;
  std::set<std::string> reported_;  // messages of the last refresh
  std::vector<FileWatcher::Handle> handles_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool has_changed_ = false;
  FileWatcher watcher_;  // its thread uses the members above
  std::jthread thread_;
};

}  // namespace helve::plugins
