// The reactor's side of one job: its streams, its control socket and its timers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "process/job.h"
#include "process/launcher_protocol.h"
#include "process/spawn.h"
#include "sandbox/cgroup.h"

namespace helve::process {

// Created by any thread, then used only by the reactor's thread.
class JobDriver {
 public:
  // Which descriptor an event belongs to; the low bits of an epoll token.
  enum class Source : std::uint64_t { kControl, kExit, kOutput, kError, kInput };
  static constexpr unsigned kSourceBits = 3;

  // Cgroup and companion are released when no process of the command is left.
  JobDriver(std::shared_ptr<Job> job, Child child, std::optional<sandbox::Cgroup> cgroup,
            std::shared_ptr<const void> companion, std::uint64_t number);
  ~JobDriver();
  JobDriver(const JobDriver&) = delete;
  JobDriver& operator=(const JobDriver&) = delete;

  void watch(int epoll);  // starts receiving events
  void handle(Source source, std::span<char> buffer);
  void handle_requests();  // kill and input requests of other threads
  // The latest time for the next call of on_timer().
  [[nodiscard]] Clock::time_point next_timer() const;
  void on_timer();

  // No process of the command is left, and all its output is in the log.
  [[nodiscard]] bool finished() const;
  // Publishes the final status and wakes all waiters.
  void conclude();
  [[nodiscard]] const std::shared_ptr<Job>& job() const { return job_; }
  [[nodiscard]] bool was_started() const { return ready_; }

 private:
  enum class KillStage { kNone, kTerminated, kKilled, kForced };

  void watch_one(int fd, Source source, std::uint32_t events) const;
  void read_control();
  void handle_message(const LauncherMessage& message);
  void handle_exit();
  void read_stream(UniqueFd& fd, Stream stream, std::span<char> buffer);
  void check_stream_order(const UniqueFd& other);
  void write_input();
  void close_input();
  void begin_kill(JobState cause, milliseconds grace);
  void advance_kill();
  void signal(int number);
  void check_input_wait();
  void set_waiting(std::optional<InputWait> waiting);
  void schedule_input_check(milliseconds from_now);

  const std::shared_ptr<Job> job_;
  Child child_;
  std::optional<sandbox::Cgroup> cgroup_;
  const std::shared_ptr<const void> companion_;
  const std::uint64_t number_;
  int epoll_ = -1;
  bool input_watched_ = false;
  bool within_line_ = false;  // the last write did not end with a line break
  bool order_known_ = true;

  bool ready_ = false;
  std::optional<LauncherMessage> ended_;
  std::uint64_t memory_kills_before_ = 0;  // on the whole machine
  [[nodiscard]] bool was_out_of_memory() const;
  bool exited_ = false;  // the launcher, and so all processes
  Clock::time_point give_up_at_ =
      Clock::time_point::max();  // time to stop waiting for the launcher or the pipes
  Clock::time_point deadline_;
  std::optional<JobState> cause_;  // why the command was killed
  KillStage kill_stage_ = KillStage::kNone;
  Clock::time_point next_kill_ = Clock::time_point::max();
  std::string trouble_;

  std::optional<InputSample> last_sample_;
  Clock::time_point next_input_check_ = Clock::time_point::max();
  milliseconds input_check_interval_{0};
};

}  // namespace helve::process
