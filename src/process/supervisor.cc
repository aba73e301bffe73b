#include "process/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <set>
#include <thread>
#include <utility>

#include "base/file_io.h"
#include "process/launcher_protocol.h"
#include "process/process_info.h"

namespace helve::process {
namespace {

using ProcessId = std::pair<pid_t, std::uint64_t>;  // pid and start time; a pid alone may be reused

constexpr auto kLongestKill = std::chrono::seconds(10);
constexpr int kMostStopRounds = 200;

// Signals the process that was seen, and never another one that has reused its pid.
bool signal_exactly(const ProcStat& seen, int number) {
  const UniqueFd fd(static_cast<int>(::syscall(SYS_pidfd_open, seen.pid, 0)));
  if (!fd) return false;
  const auto now = read_proc_stat(seen.pid);
  if (!now || now->start_ticks != seen.start_ticks) return false;
  return ::syscall(SYS_pidfd_send_signal, fd.get(), number, nullptr, 0) == 0;
}

// Reaps all zombies. False when no child is left, and so no descendant either: orphaned descendants become
// children of the subreaper.
bool reap_children() {
  for (;;) {
    const pid_t pid = ::waitpid(-1, nullptr, WNOHANG | __WALL);
    if (pid == 0) return true;
    if (pid < 0 && errno != EINTR) return false;
  }
}

// Stops descendants until no new ones appear. A stopped process cannot fork.
void stop_descendants(std::chrono::steady_clock::time_point until) {
  std::set<ProcessId> stopped;
  for (int round = 0; round < kMostStopRounds && std::chrono::steady_clock::now() < until; ++round) {
    bool found_new = false;
    for (const ProcStat& process : find_descendants(::getpid(), Search::kThorough)) {
      if (process.state == 'Z' || !stopped.emplace(process.pid, process.start_ticks).second) continue;
      if (signal_exactly(process, SIGSTOP)) found_new = true;
    }
    if (!found_new) return;
  }
}

// Sends the signal once to every descendant of this process.
void signal_descendants(int number) {
  for (const ProcStat& process : find_descendants(::getpid(), Search::kThorough))
    if (process.state != 'Z') signal_exactly(process, number);
}

// Kills every descendant and waits for them. They are stopped first, so that none can fork replacements while
// others are killed. The caller is a subreaper. Bounded in time: processes of another user or stuck in the
// kernel may be left.
void kill_descendants() {
  const std::chrono::steady_clock::time_point until = std::chrono::steady_clock::now() + kLongestKill;
  auto pause = std::chrono::microseconds(100);
  while (reap_children()) {
    if (std::chrono::steady_clock::now() >= until) return;
    stop_descendants(until);
    for (const ProcStat& process : find_descendants(::getpid(), Search::kThorough))
      if (process.state != 'Z') signal_exactly(process, SIGKILL);
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20'000));
  }
}

std::uint64_t microseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec);
}

// True once the command itself has been reaped.
bool reap(const Supervision& supervision, LauncherMessage& ended) {
  for (;;) {
    int status = 0;
    rusage usage{};
    const pid_t pid = ::wait4(-1, &status, WNOHANG | __WALL, &usage);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return false;
    if (pid != supervision.command) continue;
    ended.kind = LauncherMessage::Kind::kEnded;
    ended.wait_status = status;
    ended.user_microseconds = microseconds(usage.ru_utime);
    ended.system_microseconds = microseconds(usage.ru_stime);
    ended.most_memory_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    return true;
  }
}

void signal_all(const Supervision& supervision, int number) {
  if (supervision.own_pid_namespace)
    ::kill(-1, number);
  else
    signal_descendants(number);
}

void forward_signal(const Supervision& supervision, const SignalRequest& request) {
  if (request.number <= 0 || request.number >= NSIG) return;
  if (request.number == SIGKILL && !supervision.own_pid_namespace) {
    // One pass could miss a process that is being forked. kill_descendants() would reap the command, whose
    // status is still needed, so this only stops and kills, and the main loop reaps.
    signal_descendants(SIGSTOP);
  }
  signal_all(supervision, request.number);
  // A stopped process handles no signal but SIGKILL until it continues.
  if (request.number == SIGTERM || request.number == SIGINT || request.number == SIGHUP)
    signal_all(supervision, SIGCONT);
}

// False when Helve has hung up.
bool handle_signals(const Supervision& supervision) {
  for (;;) {
    SignalRequest request;
    switch (receive_signal(supervision.control, request)) {
      case Received::kPacket: forward_signal(supervision, request); break;
      case Received::kNothing: return true;
      case Received::kHangUp: return false;
    }
  }
}

// Whether processes other than init are left. Children of a program that has just ended get a moment to exit.
bool has_other_processes() {
  constexpr int kChecks = 10;
  constexpr useconds_t kCheckInterval = 2000;
  for (int i = 0; i < kChecks; ++i) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (::kill(-1, 0) != 0) return false;  // the cheapest way to ask
    ::usleep(kCheckInterval);
  }
  return true;
}

}  // namespace

void supervise(const Supervision& supervision) {
  sigset_t child_signals;
  sigemptyset(&child_signals);
  sigaddset(&child_signals, SIGCHLD);
  const UniqueFd children(::signalfd(-1, &child_signals, SFD_CLOEXEC | SFD_NONBLOCK));
  std::array<pollfd, 3> watched = {{
      {.fd = children.get(), .events = POLLIN, .revents = 0},
      {.fd = supervision.control, .events = POLLIN, .revents = 0},
      {.fd = supervision.launcher, .events = POLLIN, .revents = 0},
  }};
  // Without a signalfd, poll now and then.
  const int longest_wait = children ? -1 : 50;
  LauncherMessage ended;
  for (;;) {
    // Before waiting, so that an earlier exit is not missed.
    if (reap(supervision, ended)) {
      if (supervision.own_pid_namespace && has_other_processes()) ended.left_processes = 1;
      send_message(supervision.control, ended);
      break;
    }
    if (::poll(watched.data(), watched.size(), longest_wait) < 0 && errno != EINTR) break;
    if (children) {
      std::array<signalfd_siginfo, 16> drained{};
      while (::read(children.get(), drained.data(), sizeof drained) > 0) {
      }
    }
    if ((watched[1].revents != 0 && !handle_signals(supervision)) || watched[2].revents != 0) break;
  }
  if (!supervision.own_pid_namespace) kill_descendants();
}

}  // namespace helve::process
