#include "search/walk_tasks.h"

#include <utility>

namespace helve::search {

using State = WalkTask::State;

WalkTasks::~WalkTasks() {
  // Read `after` first: forget() may delete the directory that holds the task.
  for (WalkTask* task = head_; task != nullptr;) {
    WalkTask* next = task->after;
    forget(task);
    task = next;
  }
}

void WalkTasks::begin(std::unique_ptr<WalkDirectory> directory) {
  const std::lock_guard lock(mutex_);
  if (directory->tasks.empty()) return;
  link_before(nullptr, *directory.release());
  search_from_ = head_;
}

void WalkTasks::wake_all() {
  if (sleepers_ > 0) changed_.notify_all();
}

void WalkTasks::stop() { stop_with(nullptr); }

void WalkTasks::stop_with(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (!failure_) failure_ = std::move(failure);
  wake_all();
}

// Inserts the tasks of a directory before `place`, or at the end if it is null.
void WalkTasks::link_before(WalkTask* place, WalkDirectory& directory) {
  WalkTask* before = place == nullptr ? tail_ : place->before;
  std::size_t entries = 0;
  for (WalkTask& task : directory.tasks) {
    entries += task.end - task.begin;
    task.before = before;
    (before == nullptr ? head_ : before->after) = &task;
    before = &task;
  }
  before->after = place;
  (place == nullptr ? tail_ : place->before) = before;
  directory.unfinished = directory.alive = directory.tasks.size();
  waiting_ += directory.tasks.size();
  waiting_entries_ += entries;
  if (directory.fd) ++open_descriptors_;
}

void WalkTasks::unlink(WalkTask* task) {
  if (search_from_ == task) search_from_ = task->after;
  (task->before == nullptr ? head_ : task->before->after) = task->after;
  (task->after == nullptr ? tail_ : task->after->before) = task->before;
}

// Called when a task no longer needs the descriptor. The caller closes the result without holding the lock.
UniqueFd WalkTasks::release_descriptor(WalkDirectory& directory) {
  if (--directory.unfinished > 0 || !directory.fd) return {};
  --open_descriptors_;
  return std::move(directory.fd);
}

void WalkTasks::forget(WalkTask* task) {
  WalkDirectory* directory = task->directory;
  task->findings.reset();
  if (--directory->alive == 0) delete directory;
}

WalkTask* WalkTasks::find_waiting() {
  while (search_from_ != nullptr && search_from_->state != State::kWaiting) {
    search_from_->passed = true;
    search_from_ = search_from_->after;
  }
  return search_from_;
}

WalkTask* WalkTasks::take_locked() {
  if (waiting_ == 0) return nullptr;
  WalkTask* task = find_waiting();
  // The first task may always run: without it, nothing could be committed.
  if (task == nullptr || (ahead_ >= most_ahead_ && task != head_)) return nullptr;
  task->state = State::kTaken;
  --waiting_;
  waiting_entries_ -= task->end - task->begin;
  return task;
}

WalkTask* WalkTasks::take() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (stopped_ || head_ == nullptr) return nullptr;
    if (WalkTask* task = take_locked()) return task;
    ++sleepers_;
    changed_.wait(lock);
    --sleepers_;
  }
}

// The tasks after `last` up to the old position will be passed again.
void WalkTasks::search_again_from(WalkTask* first, WalkTask* last) {
  for (WalkTask* task = last->after; task != search_from_; task = task->after) task->passed = false;
  search_from_ = first;
}

WalkTask* WalkTasks::replace(WalkTask* task, std::unique_ptr<WalkDirectory> directory) {
  UniqueFd unneeded;  // closed after the lock is released
  std::unique_lock lock(mutex_);
  if (directory != nullptr && !directory->tasks.empty()) {
    WalkTask* first = directory->tasks.data();
    link_before(task, *directory.release());
    // find_waiting() may have gone past this place while the directory was being read.
    if (task->passed)
      search_again_from(first, task);
    else if (search_from_ == task)
      search_from_ = first;
  }
  unlink(task);
  unneeded = release_descriptor(*task->directory);
  forget(task);
  commit_ready(lock);
  WalkTask* next = stopped_ ? nullptr : take_locked();
  if (waiting_ > 0 || head_ == nullptr) wake_all();
  return next;
}

void WalkTasks::finish(WalkTask* task, std::unique_ptr<Visitor::Findings> findings) {
  UniqueFd unneeded;
  std::unique_lock lock(mutex_);
  task->findings = std::move(findings);
  task->state = State::kDone;
  ++ahead_;
  unneeded = release_descriptor(*task->directory);
  commit_ready(lock);
}

// One thread commits at a time. It also commits what other threads finish meanwhile.
void WalkTasks::commit_ready(std::unique_lock<std::mutex>& lock) {
  if (committing_ || head_ == nullptr || head_->state != State::kDone) return;
  committing_ = true;
  while (!stopped_ && head_ != nullptr && head_->state == State::kDone) {
    WalkTask* task = head_;
    unlink(task);
    lock.unlock();
    bool go_on = false;
    try {
      go_on = visitor_.commit(std::move(task->findings), task->directory->batch_of(*task, -1));
    } catch (...) {
      lock.lock();
      if (!failure_) failure_ = std::current_exception();
    }
    if (!lock.owns_lock()) lock.lock();
    committed_entries_ += task->end - task->begin;
    forget(task);
    const bool was_full = ahead_-- >= most_ahead_;
    if (!go_on) stopped_ = true;
    if (was_full || stopped_ || head_ == nullptr) wake_all();
  }
  committing_ = false;
  // The new first task may have been held back by the limit on waiting batches.
  wake_all();
}

}  // namespace helve::search
