// The queue of pending tasks of a walk, in walk order.
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

  WalkDirectory* directory = nullptr;  // contains the entries
  std::uint32_t begin = 0;             // index of the first entry
  std::uint32_t end = 0;
  bool reads = false;  // entry `begin` is a directory to read
  State state = State::kWaiting;
  bool passed = false;  // find_waiting() has gone past it
  WalkTask* before = nullptr;
  WalkTask* after = nullptr;
  std::unique_ptr<Visitor::Findings> findings = {};
};

// A directory that was read. It is deleted after its last task was committed.
struct WalkDirectory {
  std::string path;  // relative to the root: "" or "a/b/"
  std::size_t depth = 1;
  std::string_view resume_after = {};  // relative to this directory; empty: deliver everything
  IgnoreLevelPtr ignore = {};
  std::unique_ptr<char[]> names = {};
  std::vector<FileEntry> entries = {};
  std::vector<WalkTask> tasks = {};  // never reallocated once its tasks are in the list

  // The members below are managed by WalkTasks.
  UniqueFd fd = {};            // may be closed early; otherwise open until all tasks are finished
  std::size_t unfinished = 0;  // tasks that still need `fd`
  std::size_t alive = 0;       // tasks in the list or being committed

  [[nodiscard]] FileBatch batch_of(const WalkTask& task, int batch_fd) const {
    return {batch_fd, path, std::span(entries).subspan(task.begin, task.end - task.begin)};
  }
};

// Owned by one walk and shared by its workers. The task of a directory is replaced by tasks for its entries.
// Finished tasks stay in the list until all tasks before them are committed.
class WalkTasks {
 public:
  // `most_ahead` limits the finished batches that wait for an earlier one.
  WalkTasks(Visitor& visitor, std::size_t most_ahead) : visitor_(visitor), most_ahead_(most_ahead) {}
  ~WalkTasks();
  WalkTasks(const WalkTasks&) = delete;
  WalkTasks& operator=(const WalkTasks&) = delete;

  // Adds the start directory.
  void begin(std::unique_ptr<WalkDirectory> directory);
  // Takes the earliest waiting task; blocks until there is one. Returns null when the walk is over.
  [[nodiscard]] WalkTask* take();
  // Replaces `task` by the tasks of the directory it read; null if that is empty. Returns the next task to
  // work on, or null to call take().
  [[nodiscard]] WalkTask* replace(WalkTask* task, std::unique_ptr<WalkDirectory> directory);
  // Marks `task` as visited and commits all tasks that are ready.
  void finish(WalkTask* task, std::unique_ptr<Visitor::Findings> findings);

  // Ends the walk. All workers return soon.
  void stop();
  void stop_with(std::exception_ptr failure);

  // Snapshots; other threads may change the values at any time.
  [[nodiscard]] std::size_t waiting() const { return waiting_.load(std::memory_order_relaxed); }
  // Entries of the waiting tasks. An unread directory counts as one.
  [[nodiscard]] std::size_t waiting_entries() const {
    return waiting_entries_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t open_descriptors() const {
    return open_descriptors_.load(std::memory_order_relaxed);
  }

  // Call these after all workers have returned.
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
  WalkTask* search_from_ = nullptr;  // no task before it is waiting
  std::atomic<std::size_t> waiting_ = 0;
  std::atomic<std::size_t> waiting_entries_ = 0;
  std::size_t ahead_ = 0;  // finished but not committed
  std::atomic<std::size_t> open_descriptors_ = 0;
  std::size_t committed_entries_ = 0;
  bool committing_ = false;
  bool stopped_ = false;
  std::exception_ptr failure_;
};

}  // namespace helve::search
