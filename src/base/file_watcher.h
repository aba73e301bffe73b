// Tells when files change, however they are changed: written, replaced, removed, made.
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

// May be used from all threads; callbacks come from one of its own, which starts with the first watch.
class FileWatcher {
 public:
  FileWatcher() = default;
  ~FileWatcher();
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  // Watches until the handle is destroyed.
  using Handle = std::shared_ptr<void>;
  // An absolute path whose directory exists.
  [[nodiscard]] Expected<Handle> watch(const std::string& path, std::function<void()> callback);
  // Everything in an existing directory, but not what is in directories below it.
  [[nodiscard]] Expected<Handle> watch_directory(const std::string& directory,
                                                 std::function<void()> callback);

 private:
  struct Watch {
    std::string name;  // in its directory; empty: all
    std::function<void()> callback;
  };
  // A directory is watched rather than the file, which is a new one after every careful write.
  struct Directory {
    std::vector<std::weak_ptr<Watch>> watches;
  };

  Expected<void> start();
  Expected<Handle> add(const std::string& directory, std::string name, std::function<void()> callback);
  void run(const std::stop_token& stop);
  void tell(int directory, std::string_view name);
  void tell_all();
  void forget_unwatched();  // holds mutex_

  std::mutex mutex_;
  UniqueFd inotify_;
  UniqueFd wake_;
  std::map<int, Directory> directories_;  // by watch descriptor
  std::jthread thread_;
};

}  // namespace helve
