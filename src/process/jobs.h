// All jobs of one runtime: starts them, finds them, drops old ones, and kills them all at the end.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "helve/error.h"
#include "process/fork_server.h"
#include "process/job.h"
#include "process/reactor.h"
#include "process/spawn.h"

namespace helve::process {

struct JobLimits {
  std::size_t most_running = 256;
  std::size_t most_finished = 64;  // the oldest are dropped first, with their output
  milliseconds longest_time{0};    // upper bound for every job's time limit; 0: none
  milliseconds finished_age = std::chrono::hours(24);
};

// A process that holds a network namespace for all sandboxed commands of one runtime, so that they can reach
// each other's servers. Started on first use; ends with this object or with Helve. May be used from all
// threads.
class NetworkHolder {
 public:
  explicit NetworkHolder(ForkServer& fork_server) : fork_server_(fork_server) {}
  ~NetworkHolder();
  NetworkHolder(const NetworkHolder&) = delete;
  NetworkHolder& operator=(const NetworkHolder&) = delete;

  // 0 when the machine does not allow it; then every command gets its own network namespace.
  [[nodiscard]] pid_t pid();

 private:
  [[nodiscard]] std::optional<Child> start();
  static void end(Child& child);

  ForkServer& fork_server_;
  std::mutex mutex_;
  std::optional<Child> child_;
  bool refused_ = false;
};

// Owned by the runtime. All functions may be called from all threads. One reactor thread serves all jobs.
class Jobs {
 public:
  struct Options {
    std::string output_directory = {};  // must exist and be private to the user
    std::string launcher_program = kOwnProgram;
    JobLimits limits = {};
    // Called on the reactor thread when a job has ended; must not wait for other jobs.
    std::function<void(const std::shared_ptr<Job>&)> on_end = {};
  };
  [[nodiscard]] static Expected<std::unique_ptr<Jobs>> create(Options options);
  // Kills every job and waits for them.
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // Returns when the command's program runs, or the reason why it cannot.
  [[nodiscard]] Expected<std::shared_ptr<Job>> start(JobRequest request);
  [[nodiscard]] Expected<std::shared_ptr<Job>> find(const std::string& id) const;
  // In the order in which they were started.
  [[nodiscard]] std::vector<std::shared_ptr<Job>> list() const;
  // Drops a job and its output; a running job is killed first.
  [[nodiscard]] Expected<void> remove(const std::string& id);
  [[nodiscard]] std::size_t running() const;

 private:
  explicit Jobs(Options options)
      : options_(std::move(options)), fork_server_(options_.launcher_program), network_(fork_server_) {}
  [[nodiscard]] Expected<void> check_limit() const;  // requires mutex_
  void drop_old();                                   // requires mutex_
  void drop(const std::string& id);

  const Options options_;
  ForkServer fork_server_;
  NetworkHolder network_;
  mutable std::mutex mutex_;
  std::uint64_t last_order_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Job>> jobs_;  // in order of start
  std::unique_ptr<Reactor> reactor_;
};

}  // namespace helve::process
