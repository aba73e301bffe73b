// Plugins that come and go while Helve runs: looks after the folders and keeps the registry in step.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include "base/file_watcher.h"
#include "plugins/plugin_host.h"

namespace helve::plugins {

// Kept by the runtime (Runtime::keep), whose registry it fills. Works on a thread of its own.
class PluginWatch {
 public:
  using Report = std::function<void(const std::vector<PluginProblem>&)>;
  // Has loaded what is there when it returns. `report` gets what is left out, first from this thread and
  // after every change from its own.
  PluginWatch(Registry& registry, PluginHost::Options options, Report report);
  ~PluginWatch();
  PluginWatch(const PluginWatch&) = delete;
  PluginWatch& operator=(const PluginWatch&) = delete;

 private:
  void run(const std::stop_token& stop);
  void refresh();
  // False when something cannot be watched, so that it has to be looked at again and again.
  [[nodiscard]] bool watch_all();
  [[nodiscard]] bool watch_folder(const std::string& folder);
  [[nodiscard]] bool add(Expected<FileWatcher::Handle> handle);

  const PluginFolders folders_;
  const Report report_;
  PluginHost host_;
  std::set<std::string> told_;  // what is left out, as of the last look
  std::vector<FileWatcher::Handle> handles_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool has_changed_ = false;
  FileWatcher watcher_;  // its thread calls back, so it goes before what that uses
  std::jthread thread_;
};

}  // namespace helve::plugins
