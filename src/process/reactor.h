// The thread that moves the data of all running jobs and runs their timers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"
#include "process/job_driver.h"

namespace helve::process {

// Owned by Jobs. All public functions may be called from all threads.
class Reactor {
 public:
  // Called on the reactor's thread, without locks held, after a job has ended.
  using OnEnd = std::function<void(const std::shared_ptr<Job>&)>;

  [[nodiscard]] static Expected<std::unique_ptr<Reactor>> create(OnEnd on_end);
  // Kills every job and waits for them.
  ~Reactor();
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  // A number for a new job, for add() and wake().
  [[nodiscard]] std::uint64_t next_number();
  void add(std::uint64_t number, std::unique_ptr<JobDriver> driver);
  void wake(std::uint64_t number);

 private:
  Reactor(UniqueFd epoll, UniqueFd event, OnEnd on_end);
  void run();
  void handle_requests();
  void run_timers();
  void remove_finished();
  [[nodiscard]] int longest_wait() const;
  void notify() const;

  const UniqueFd epoll_;
  const UniqueFd event_;
  const OnEnd on_end_;

  std::mutex mutex_;  // guards the next four members
  std::uint64_t last_number_ = 0;
  std::vector<std::pair<std::uint64_t, std::unique_ptr<JobDriver>>> incoming_;
  std::vector<std::uint64_t> woken_;
  bool stopping_ = false;

  std::map<std::uint64_t, std::unique_ptr<JobDriver>> drivers_;  // only used by the reactor's thread
  std::thread thread_;
};

}  // namespace helve::process
