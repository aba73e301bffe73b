// The definitions of a whole workspace, always as the files are now.
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

// The index at one moment; never changes.
struct IndexState {
  IndexedFiles files = {};  // by path
  std::size_t symbols = 0;
};

// What a caller gets: the state, and how far it is to be trusted.
struct IndexView {
  std::shared_ptr<const IndexState> state;
  bool complete = true;     // every file was looked at after the question was asked
  std::size_t pending = 0;  // files that are known to be new or changed and were not read yet
  bool walked = true;       // all directories were seen; if not, there may be more such files
  search::WalkReport walk = {};
};

// One per workspace, made when it is first needed and owned by the runtime; may be used from all threads. A
// thread of its own brings it up to date when somebody asks and goes on when they do not wait for it.
class SymbolIndex {
 public:
  struct Options {
    std::string cache_path = {};  // empty: nothing is kept on disk
    unsigned threads = 0;         // 0: as many as there are processors
  };
  // `root` and `logger` must outlive it.
  SymbolIndex(const Root& root, Logger& logger, Options options);
  SymbolIndex(const SymbolIndex&) = delete;
  SymbolIndex& operator=(const SymbolIndex&) = delete;
  ~SymbolIndex();

  struct Request {
    std::vector<std::string> exclusions = {};  // globs with `!` of what must not be read
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    std::function<bool()> should_stop = {};
  };
  // Looks at all files, reads those that are new or changed, and returns when that is done or the time is up.
  [[nodiscard]] IndexView refresh(const Request& request);

 private:
  struct Pass;
  void run(const std::stop_token& stop);
  void run_pass(const std::stop_token& stop, const std::vector<std::string>& exclusions);
  void read_changed(const std::stop_token& stop, Pass& pass);
  void publish(const Pass& pass, bool done);
  void save_if_worth_it();

  const Root& root_;
  Logger& logger_;
  const Options options_;

  std::mutex mutex_;
  std::condition_variable_any asked_;
  std::condition_variable_any answered_;
  std::uint64_t wanted_pass_ = 0;  // by number: the last one that somebody waits for
  std::uint64_t finished_pass_ = 0;
  std::vector<std::string> exclusions_;
  IndexView view_;                        // of the pass that runs, or ran last
  IndexView settled_;                     // of the last one that was finished
  bool loaded_ = false;                   // from the disk
  std::chrono::microseconds unsaved_{0};  // time spent on what is not on the disk
  std::jthread worker_;                   // last, so that it ends first
};

}  // namespace helve::code
