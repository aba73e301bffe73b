// Reports when files are created, written, replaced or removed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve {

// Thread-safe. Callbacks run on the watcher's own thread, which starts with the first watch.
class FileWatcher {
 public:
  FileWatcher() = default;
  ~FileWatcher();
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  // Watches until the handle is destroyed.
  using Handle = std::shared_ptr<void>;
  // `path` is absolute, and its directory exists.
  [[nodiscard]] Expected<Handle> watch(const std::string& path, std::function<void()> callback);
  // Watches all entries of an existing directory, but not its subdirectories' contents.
  [[nodiscard]] Expected<Handle> watch_directory(const std::string& directory,
                                                 std::function<void()> callback);

 private:
  struct Watch {
    std::string name;  // within its directory; empty means all
    std::function<void()> callback;
  };
  // The directory is watched, not the file, because an atomic write replaces the file.
  struct Directory {
    std::vector<std::weak_ptr<Watch>> watches;
  };

  Expected<void> start();
  Expected<Handle> add(const std::string& directory, std::string name, std::function<void()> callback);
  void run(const std::stop_token& stop);
  void notify(int directory, std::string_view name);
  void notify_all();
  void forget_unwatched();  // requires mutex_

  std::mutex mutex_;
  UniqueFd inotify_;
  UniqueFd wake_;
  std::map<int, Directory> directories_;  // by watch descriptor
  std::jthread thread_;
};

}  // namespace helve
