#include "core/worker_pool.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace helve::core {

class WorkerPool::Job {
 public:
  explicit Job(std::function<void()> work) : work_(std::move(work)) {}

 private:
  friend class WorkerPool;
  std::function<void()> work_;
  bool ended_ = false;
  bool abandoned_ = false;
};

struct WorkerPool::State {
  std::mutex mutex;
  std::condition_variable work_available;
  std::condition_variable job_ended;
  std::deque<std::shared_ptr<Job>> waiting;
  std::size_t idle_threads = 0;
  std::size_t awaited_jobs = 0;    // started, not ended, not abandoned
  std::size_t abandoned_jobs = 0;  // not ended yet
  bool stopping = false;
  std::chrono::milliseconds idle{0};
};

WorkerPool::WorkerPool(std::chrono::milliseconds idle) : state_(std::make_shared<State>()) {
  state_->idle = idle;
}

WorkerPool::~WorkerPool() {
  std::unique_lock lock(state_->mutex);
  state_->job_ended.wait(lock, [&] { return state_->awaited_jobs == 0; });
  state_->stopping = true;
  state_->work_available.notify_all();
}

Expected<std::shared_ptr<WorkerPool::Job>> WorkerPool::start(std::function<void()> work) {
  constexpr std::size_t kMostAbandoned = 64;
  auto job = std::make_shared<Job>(std::move(work));
  const std::lock_guard lock(state_->mutex);
  if (state_->abandoned_jobs >= kMostAbandoned)
    return fail(ErrorCode::kUnavailable, "Too many abandoned calls still run, so no more are started.",
                "Restart the program, and stop using the tool that hangs.");
  if (state_->waiting.size() >= state_->idle_threads) {
    try {
      std::thread([state = state_] { work_until_stopped(state); }).detach();
    } catch (const std::system_error&) {
      return fail(Error{ErrorCode::kUnavailable,
                        "The machine gives no more threads, so the call was not made.",
                        "Try again when less is running.",
                        {},
                        true});
    }
  }
  state_->waiting.push_back(job);
  ++state_->awaited_jobs;
  state_->work_available.notify_one();
  return job;
}

void WorkerPool::abandon(const std::shared_ptr<Job>& job) {
  const std::lock_guard lock(state_->mutex);
  if (job->ended_ || std::exchange(job->abandoned_, true)) return;
  --state_->awaited_jobs;
  ++state_->abandoned_jobs;
  state_->job_ended.notify_all();
}

void WorkerPool::work_until_stopped(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  while (true) {
    ++state->idle_threads;
    state->work_available.wait_for(lock, state->idle,
                                   [&] { return state->stopping || !state->waiting.empty(); });
    --state->idle_threads;
    if (state->waiting.empty()) return;  // shutting down, or idle for too long
    const std::shared_ptr<Job> job = std::move(state->waiting.front());
    state->waiting.pop_front();
    lock.unlock();
    job->work_();
    job->work_ = nullptr;
    lock.lock();
    job->ended_ = true;
    --(job->abandoned_ ? state->abandoned_jobs : state->awaited_jobs);
    state->job_ended.notify_all();
  }
}

}  // namespace helve::core
