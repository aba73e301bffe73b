// Threads for calls that may not come back in time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "helve/error.h"

namespace helve {

// Starts threads as needed and keeps them for the next job, but not for long. Destroying it waits for all
// jobs that were not abandoned.
class WorkerPool {
 public:
  class Job;

  // A thread without a job for this long ends.
  explicit WorkerPool(std::chrono::milliseconds idle = std::chrono::seconds(10));
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // What `work` uses must live as long as it may run, which after abandon() is unknown: let it own its
  // things.
  // UNAVAILABLE when no thread can be had, or too many were left behind already.
  [[nodiscard]] Expected<std::shared_ptr<Job>> start(std::function<void()> work);
  // Nobody waits for the job any more, not even the destructor.
  void abandon(const std::shared_ptr<Job>& job);

 private:
  struct State;
  static void work_until_stopped(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
};

}  // namespace helve
