#include "process/kill_tree.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <set>
#include <thread>
#include <utility>

#include "base/file_io.h"
#include "process/proc_stat.h"

namespace helve::process {
namespace {

using Clock = std::chrono::steady_clock;
using Name = std::pair<pid_t, std::uint64_t>;  // a pid alone may be another's by now

constexpr auto kLongest = std::chrono::seconds(10);
constexpr int kMostStopRounds = 200;

// Signals the process that was seen, and never another one that got its number since.
bool signal_exactly(const ProcStat& seen, int number) {
  const UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_open, seen.pid, 0)));
  if (!fd) return false;
  const auto now = read_proc_stat(seen.pid);
  if (!now || now->start_ticks != seen.start_ticks) return false;
  return ::syscall(SYS_pidfd_send_signal, fd.get(), number, nullptr, 0) == 0;
}

// Waits for whoever has ended. False when there is no child left, and so no descendant either: a subreaper's
// descendant has a living parent up to the subreaper, or is its child.
bool reap_children() {
  for (;;) {
    const pid_t pid = ::waitpid(-1, nullptr, WNOHANG | __WALL);
    if (pid == 0) return true;
    if (pid < 0 && errno != EINTR) return false;
  }
}

// Stops whoever can be found until nobody new turns up; what is stopped cannot fork.
void stop_descendants(Clock::time_point until) {
  std::set<Name> stopped;
  for (int round = 0; round < kMostStopRounds && Clock::now() < until; ++round) {
    bool found_new = false;
    for (const ProcStat& process : find_descendants(::getpid(), Search::kThorough)) {
      if (process.state == 'Z' || !stopped.emplace(process.pid, process.start_ticks).second) continue;
      if (signal_exactly(process, SIGSTOP)) found_new = true;
    }
    if (!found_new) return;
  }
}

}  // namespace

void signal_descendants(int number) {
  for (const ProcStat& process : find_descendants(::getpid(), Search::kThorough))
    if (process.state != 'Z') signal_exactly(process, number);
}

bool kill_descendants() {
  const Clock::time_point until = Clock::now() + kLongest;
  auto pause = std::chrono::microseconds(100);
  while (reap_children()) {
    if (Clock::now() >= until) return false;
    stop_descendants(until);
    for (const ProcStat& process : find_descendants(::getpid(), Search::kThorough))
      if (process.state != 'Z') signal_exactly(process, SIGKILL);
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20'000));
  }
  return true;
}

}  // namespace helve::process
