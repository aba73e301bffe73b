// The work of a walk that is still to be done, in walking order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_io.h"
#include "search/walker.h"

namespace helve::search {

struct WalkDirectory;

// Either some entries to visit, or a directory to read.
struct WalkTask {
  enum class State : std::uint8_t { kWaiting, kTaken, kDone };

  WalkDirectory* directory = nullptr;  // where the entries are
  std::uint32_t begin = 0;             // of its entries
  std::uint32_t end = 0;
  bool reads = false;  // entry `begin` is a directory to read
  State state = State::kWaiting;
  bool passed = false;  // the search for work has gone past it
  WalkTask* before = nullptr;
  WalkTask* after = nullptr;
  std::unique_ptr<Visitor::Findings> findings = {};
};

// A directory that has been read. Lives until the last of its tasks has been handed over.
struct WalkDirectory {
  std::string path;  // relative to the root: "" or "a/b/"
  std::size_t depth = 1;
  std::string_view resume_after = {};  // from this directory on; empty: everything
  IgnoreLevelPtr ignore = {};
  std::unique_ptr<char[]> names = {};
  std::vector<FileEntry> entries = {};
  std::vector<WalkTask> tasks = {};  // never moves once it is in the list

  // The rest is the task list's.
  UniqueFd fd = {};            // may have been given up; good as long as a task of it is unfinished otherwise
  std::size_t unfinished = 0;  // tasks that still need the descriptor
  std::size_t alive = 0;       // tasks in the list or about to be committed

  [[nodiscard]] FileBatch batch_of(const WalkTask& task, int batch_fd) const {
    return {batch_fd, path, std::span(entries).subspan(task.begin, task.end - task.begin)};
  }
};

// Owned by one walk and shared by its workers. A directory's task is replaced by the tasks of what it holds;
// finished tasks wait at their place until all before them have been committed.
class WalkTasks {
 public:
  // `most_ahead`: finished batches that may wait for a slower one before them.
  WalkTasks(Visitor& visitor, std::size_t most_ahead) : visitor_(visitor), most_ahead_(most_ahead) {}
  ~WalkTasks();
  WalkTasks(const WalkTasks&) = delete;
  WalkTasks& operator=(const WalkTasks&) = delete;

  // The first directory of all.
  void begin(std::unique_ptr<WalkDirectory> directory);
  // The earliest task that nobody has taken; waits for one. Null: there is nothing left to do.
  [[nodiscard]] WalkTask* take();
  // The directory that `task` names was read; null: there is nothing in it. Returns the next task to work on,
  // or null if take() shall look for one.
  [[nodiscard]] WalkTask* replace(WalkTask* task, std::unique_ptr<WalkDirectory> directory);
  // The entries of `task` were visited. Commits what can be committed.
  void finish(WalkTask* task, std::unique_ptr<Visitor::Findings> findings);

  // Ends the walk; everybody comes back soon.
  void stop();
  void stop_with(std::exception_ptr failure);

  // All may have changed when the answer arrives.
  [[nodiscard]] std::size_t waiting() const { return waiting_.load(std::memory_order_relaxed); }
  // Of the tasks that wait; a directory that has not been read is one.
  [[nodiscard]] std::size_t waiting_entries() const {
    return waiting_entries_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t open_descriptors() const {
    return open_descriptors_.load(std::memory_order_relaxed);
  }

  // After all workers have come back.
  [[nodiscard]] std::size_t committed_entries() const { return committed_entries_; }
  [[nodiscard]] bool was_stopped() const { return stopped_; }
  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  [[nodiscard]] WalkTask* find_waiting();
  [[nodiscard]] WalkTask* take_locked();
  void search_again_from(WalkTask* first, WalkTask* last);
  void link_before(WalkTask* place, WalkDirectory& directory);
  void unlink(WalkTask* task);
  [[nodiscard]] UniqueFd release_descriptor(WalkDirectory& directory);
  void forget(WalkTask* task);
  void commit_ready(std::unique_lock<std::mutex>& lock);
  void wake_all();

  Visitor& visitor_;
  const std::size_t most_ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t sleepers_ = 0;
  WalkTask* head_ = nullptr;
  WalkTask* tail_ = nullptr;
  WalkTask* search_from_ = nullptr;  // nothing waits before it
  std::atomic<std::size_t> waiting_ = 0;
  std::atomic<std::size_t> waiting_entries_ = 0;
  std::size_t ahead_ = 0;  // finished and not committed
  std::atomic<std::size_t> open_descriptors_ = 0;
  std::size_t committed_entries_ = 0;
  bool committing_ = false;
  bool stopped_ = false;
  std::exception_ptr failure_;
};

}  // namespace helve::search
