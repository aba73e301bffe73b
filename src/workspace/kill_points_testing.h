// Kills a program before each of its system calls in turn, to show that no instant is a bad one to die.
#pragma once

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace helve {

// How one run ended.
struct KillPoint {
  std::size_t number = 0;  // of the system call before which it was killed, counting from 1
  long system_call = -1;   // its number; SYS_renameat2 and the like
  bool completed = false;  // it came to its end first: then there are no more points
  int exit_code = -1;      // of a run that came to its end
};

struct KillOptions {
  std::size_t first = 1;
  std::size_t stride = 1;      // every so many system calls only, for programs that make very many
  std::size_t most = 100'000;  // a guard against programs that never end
};

namespace detail {

// The child's whole process group is traced: threads and children of its own count, too, and die with it.
class TracedRun {
 public:
  explicit TracedRun(const std::function<int()>& run) : child_(::fork()) {
    if (child_ == 0) {
      ::setpgid(0, 0);
      ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      ::raise(SIGSTOP);
      ::_exit(run());
    }
    int status = 0;
    if (child_ < 0 || ::waitpid(child_, &status, __WALL) != child_ || !WIFSTOPPED(status)) std::abort();
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE |
                         PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;
    ptrace(PTRACE_SETOPTIONS, child_, options);
    ptrace(PTRACE_SYSCALL, child_, 0);
  }

  // Lets it run until it is about to make its system call number `point`.
  KillPoint kill_at(std::size_t point) {
    KillPoint result{point};
    std::size_t calls = 0;
    while (true) {
      int status = 0;
      const pid_t stopped = ::waitpid(-child_, &status, __WALL);
      if (stopped < 0 && errno == EINTR) continue;
      if (stopped < 0) return result;  // all are gone
      if (WIFEXITED(status) || WIFSIGNALED(status)) {
        if (stopped == child_ && WIFEXITED(status)) {
          result.completed = true;
          result.exit_code = WEXITSTATUS(status);
        }
        continue;
      }
      long signal = 0;
      if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
        if (const long call = entered_call(stopped); call >= 0 && ++calls == point) {
          result.system_call = call;
          ::kill(-child_, SIGKILL);
          continue;
        }
      } else if (WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSTOP) {
        signal = WSTOPSIG(status);
      }
      ptrace(PTRACE_SYSCALL, stopped, signal);
    }
  }

 private:
  static void ptrace(__ptrace_request request, pid_t process, long data) {
    ::ptrace(request, process, nullptr, data);
  }
  // The call's number where one is entered, -1 where one is left.
  static long entered_call(pid_t process) {
    __ptrace_syscall_info info = {};
    if (::ptrace(PTRACE_GET_SYSCALL_INFO, process, sizeof info, &info) <= 0) return -1;
    return info.op == PTRACE_SYSCALL_INFO_ENTRY ? static_cast<long>(info.entry.nr) : -1;
  }

  pid_t child_;
};

}  // namespace detail

// Calls prepare(), then run() in a child process that is killed (SIGKILL) before its first system call, then
// after(); again with the second, and so on until a run comes to its end. `run` returns the exit code, or
// replaces the process: see run_program. Returns the number of kills. The caller should have no other
// threads.
inline std::size_t for_each_kill_point(const std::function<void()>& prepare, const std::function<int()>& run,
                                       const std::function<void(const KillPoint&)>& after,
                                       const KillOptions& options = {}) {
  std::size_t kills = 0;
  for (std::size_t point = options.first; kills < options.most; point += options.stride) {
    prepare();
    const KillPoint reached = detail::TracedRun(run).kill_at(point);
    after(reached);
    if (reached.completed) break;
    ++kills;
  }
  return kills;
}

// For `run`: becomes another program. Its output goes nowhere.
[[nodiscard]] inline std::function<int()> run_program(std::vector<std::string> arguments) {
  return [arguments = std::move(arguments)] {
    std::vector<char*> pointers;
    for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    if (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen("/dev/null", "r", stdin) == nullptr)
      return 126;
    ::execvp(pointers.front(), pointers.data());
    return 127;
  };
}

}  // namespace helve
