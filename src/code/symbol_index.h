// An index of the definitions in the workspace, updated on every query.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "code/index_cache.h"
#include "helve/log.h"
#include "search/walker.h"
#include "workspace/root.h"

namespace helve::code {

// An immutable snapshot of the index.
struct IndexState {
  IndexedFiles files = {};  // sorted by path
  std::size_t symbols = 0;
};

// A snapshot, and how complete it is.
struct IndexView {
  std::shared_ptr<const IndexState> state;
  bool complete = true;     // every file was checked after the request began
  std::size_t pending = 0;  // new or changed files that were not read yet
  bool walked = true;       // all directories were visited; otherwise more files may be pending
  search::WalkReport walk = {};
};

// One per workspace, owned by the runtime and created on first use. Thread-safe. Its own thread updates it on
// request and continues when the caller stops waiting.
class SymbolIndex {
 public:
  struct Options {
    std::string cache_path = {};  // empty means no cache on disk
    unsigned threads = 0;         // 0 means one per processor
  };
  // `root` and `logger` must outlive it.
  SymbolIndex(const workspace::Root& root, Logger& logger, Options options);
  SymbolIndex(const SymbolIndex&) = delete;
  SymbolIndex& operator=(const SymbolIndex&) = delete;
  ~SymbolIndex();

  struct Request {
    std::vector<std::string> exclusions = {};  // globs with `!` of files that must not be read
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    std::function<bool()> should_stop = {};
    // Called now and then while waiting, with the number of files that were read and that are to be read.
    std::function<void(std::size_t read, std::size_t total)> on_progress = {};
  };
  // Checks all files and reads new or changed ones. Returns when that is done or at the deadline.
  [[nodiscard]] IndexView refresh(const Request& request);

 private:
  struct Pass;
  void run(const std::stop_token& stop);
  void run_pass(const std::stop_token& stop, const std::vector<std::string>& exclusions);
  void read_changed(const std::stop_token& stop, Pass& pass);
  void publish(const Pass& pass, bool done);
  void save_if_worth_it();

  const workspace::Root& root_;
  Logger& logger_;
  const Options options_;

  std::mutex mutex_;
  std::condition_variable_any asked_;
  std::condition_variable_any answered_;
  std::uint64_t wanted_pass_ = 0;  // number of the last pass that a caller waits for
  std::uint64_t finished_pass_ = 0;
  std::vector<std::string> exclusions_;
  IndexView view_;                        // of the current or last pass
  IndexView settled_;                     // of the last finished pass
  bool loaded_ = false;                   // from the disk
  std::chrono::microseconds unsaved_{0};  // parse time of entries that are not in the cache yet
  std::jthread worker_;                   // last, so that it is destroyed first
};

}  // namespace helve::code
