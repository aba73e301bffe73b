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
#include "mcp/offer.h"

namespace helve::mcp {

// May be used from all threads; callbacks come from one of its own, which starts with the first watch.
class FileWatcher {
 public:
  FileWatcher() = default;
  ~FileWatcher();
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  // An absolute path whose directory exists. Watches until the handle is destroyed.
  [[nodiscard]] Expected<Subscription> watch(const std::string& path, std::function<void()> callback);

 private:
  struct Watch {
    std::string name;  // in its directory
    std::function<void()> callback;
  };
  // A directory is watched rather than the file, which is a new one after every careful write.
  struct Directory {
    std::vector<std::weak_ptr<Watch>> watches;
  };

  Expected<void> start();
  void run(const std::stop_token& stop);
  void tell(int directory, std::string_view name);

  std::mutex mutex_;
  UniqueFd inotify_;
  UniqueFd wake_;
  std::map<int, Directory> directories_;  // by watch descriptor
  std::jthread thread_;
};

}  // namespace helve::mcp
