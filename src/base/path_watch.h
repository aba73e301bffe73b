// Calls back when something changes at some paths, which need not exist yet.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/file_watcher.h"

namespace helve {

// Thread-safe. Where the system cannot watch a path, it calls back every two seconds instead.
class PathWatch {
 public:
  struct Parts {
    // Absolute paths of files and directories; of a directory, its entries are watched. Asked again after
    // each change.
    std::function<std::vector<std::string>()> paths = {};
    // Called on the watch's thread: once at the start, for what changed before, and after changes.
    std::function<void()> on_change = {};
  };

  explicit PathWatch(Parts parts);
  ~PathWatch();
  PathWatch(const PathWatch&) = delete;
  PathWatch& operator=(const PathWatch&) = delete;

 private:
  void run(const std::stop_token& stop);
  [[nodiscard]] bool watch_all();

  const Parts parts_;
  std::vector<FileWatcher::Handle> handles_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool has_changed_ = true;
  FileWatcher watcher_;  // its thread uses the members above
  std::jthread thread_;
};

}  // namespace helve
