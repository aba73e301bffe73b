// Recognises hard links of the files in a workspace that a glob matches.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace helve::policy {

// Shared by the copies of a rule; may be used from all threads. Lists the files when it is asked, at most
// once a second.
class MatchingFiles {
 public:
  MatchingFiles(std::string workspace, std::string glob)
      : workspace_(std::move(workspace)), glob_(std::move(glob)) {}
  MatchingFiles(const MatchingFiles&) = delete;
  MatchingFiles& operator=(const MatchingFiles&) = delete;

  // Whether one of the files is this one under another name.
  [[nodiscard]] bool hold(const struct stat& status);

 private:
  using Identity = std::pair<dev_t, ino_t>;

  void list();

  std::string workspace_;
  std::string glob_;
  std::mutex mutex_;
  std::set<Identity> files_ = {};
  std::chrono::steady_clock::time_point listed_ = {};
};

}  // namespace helve::policy
