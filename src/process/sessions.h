// All commands of one runtime: starts them, finds them again, forgets old ones, and ends them all in the end.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "helve/error.h"
#include "process/launch_pad.h"
#include "process/network_holder.h"
#include "process/reactor.h"
#include "process/session.h"

namespace helve::process {

struct SessionLimits {
  std::size_t most_running = 256;
  std::size_t most_finished = 64;  // the oldest go first, with their output
  milliseconds longest_time{0};    // for each command, whatever it asks for; 0: no limit
  milliseconds finished_age = std::chrono::hours(24);
};

// Owned by the runtime's engines; all functions may be called from all threads. One more thread serves all
// commands.
class Sessions {
 public:
  struct Options {
    std::string output_directory = {};  // exists, and belongs to the user alone
    std::string launcher_program = kOwnProgram;
    SessionLimits limits = {};
    // Called on the serving thread when a command has ended; must not wait for other commands.
    std::function<void(const std::shared_ptr<Session>&)> on_end = {};
  };
  [[nodiscard]] static Expected<std::unique_ptr<Sessions>> create(Options options);
  // Kills every command and waits for them.
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  // Returns when the command's program runs, or with the reason why it cannot.
  [[nodiscard]] Expected<std::shared_ptr<Session>> start(SessionRequest request);
  [[nodiscard]] Expected<std::shared_ptr<Session>> find(const std::string& id) const;
  // In the order in which they were started.
  [[nodiscard]] std::vector<std::shared_ptr<Session>> list() const;
  // Forgets a command and its output; one that still runs is killed first.
  [[nodiscard]] Expected<void> remove(const std::string& id);
  [[nodiscard]] std::size_t running() const;

 private:
  explicit Sessions(Options options)
      : options_(std::move(options)), pad_(options_.launcher_program), network_(pad_) {}
  [[nodiscard]] Expected<void> check_room() const;  // holds mutex_
  void forget_old();                                // holds mutex_
  void forget(const std::string& id);

  const Options options_;
  LaunchPad pad_;
  NetworkHolder network_;
  mutable std::mutex mutex_;
  std::uint64_t last_order_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Session>> sessions_;  // by order of start
  std::unique_ptr<Reactor> reactor_;
};

}  // namespace helve::process
