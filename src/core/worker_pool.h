// Threads for calls that may not return in time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "helve/error.h"

namespace helve::core {

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

  // `work` must own what it uses, because after abandon() nothing limits how long it runs. UNAVAILABLE when
  // no thread can be created, or too many are abandoned already.
  [[nodiscard]] Expected<std::shared_ptr<Job>> start(std::function<void()> work);
  // Stops waiting for the job, also in the destructor.
  void abandon(const std::shared_ptr<Job>& job);

 private:
  struct State;
  static void work_until_stopped(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
};

}  // namespace helve::core
