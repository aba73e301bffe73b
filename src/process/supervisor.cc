#include "process/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/file_io.h"
#include "process/kill_tree.h"
#include "process/launch_notes.h"

namespace helve::process {
namespace {

std::uint64_t microseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec);
}

// True once the command itself was among those that ended.
bool reap(const Supervision& supervision, Note& ended) {
  for (;;) {
    int status = 0;
    rusage usage{};
    const pid_t pid = ::wait4(-1, &status, WNOHANG | __WALL, &usage);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return false;
    if (pid != supervision.command) continue;
    ended.kind = Note::Kind::kEnded;
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

void carry_out(const Supervision& supervision, const SignalOrder& order) {
  if (order.number <= 0 || order.number >= NSIG) return;
  if (order.number == SIGKILL && !supervision.own_pid_namespace) {
    // One pass could miss what is being forked; the command's own status is still to be fetched, so this only
    // stops and kills, and the loop goes on to reap.
    signal_descendants(SIGSTOP);
  }
  signal_all(supervision, order.number);
  // A stopped process notices nothing but SIGKILL until it goes on.
  if (order.number == SIGTERM || order.number == SIGINT || order.number == SIGHUP)
    signal_all(supervision, SIGCONT);
}

// False when Helve hung up.
bool take_orders(const Supervision& supervision) {
  for (;;) {
    SignalOrder order;
    switch (receive_order(supervision.control, order)) {
      case Received::kPacket: carry_out(supervision, order); break;
      case Received::kNothing: return true;
      case Received::kHangUp: return false;
    }
  }
}

// Whether there is anybody but init. Helpers of a program that has just ended get a moment to follow it.
bool others_stay() {
  constexpr int kLooks = 10;
  constexpr useconds_t kBetweenLooks = 2000;
  for (int look = 0; look < kLooks; ++look) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (::kill(-1, 0) != 0) return false;  // there is no other way to count that costs as little
    ::usleep(kBetweenLooks);
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
  // Without a signalfd, looking now and then does as well.
  const int longest_wait = children ? -1 : 50;
  Note ended;
  for (;;) {
    // Before waiting, so that what ended earlier is not missed.
    if (reap(supervision, ended)) {
      if (supervision.own_pid_namespace && others_stay()) ended.left_processes = 1;
      send_note(supervision.control, ended);
      break;
    }
    if (::poll(watched.data(), watched.size(), longest_wait) < 0 && errno != EINTR) break;
    if (children) {
      std::array<signalfd_siginfo, 16> drained{};
      while (::read(children.get(), drained.data(), sizeof drained) > 0) {
      }
    }
    if ((watched[1].revents != 0 && !take_orders(supervision)) || watched[2].revents != 0) break;
  }
  if (!supervision.own_pid_namespace) kill_descendants();
}

}  // namespace helve::process
