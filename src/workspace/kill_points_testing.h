// Kills a program before each of its system calls in turn, or lets each of them fail, to show that no instant
// is a bad one to die and no error is overlooked.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace helve {

// How one run went.
struct KillPoint {
  std::size_t number = 0;  // of the system call before which it was killed, counting from 1
  long system_call = -1;   // its number; SYS_renameat2 and the like
  bool completed = false;  // it came to its end first: then there are no more points
  int exit_code = -1;      // of a run that came to its end
};

// Which system calls the kernel is to refuse, as on another file system: the error number, or 0. x86-64 only.
using RefuseCall = std::function<int(long call, const std::uint64_t* arguments)>;

// A fork of a sanitized process is slow, so there only some points are tried.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kKillStride = 7;
#else
constexpr std::size_t kKillStride = 1;
#endif

struct KillOptions {
  std::size_t first = 1;
  std::size_t stride = kKillStride;  // every so many system calls only
  std::size_t most = 100'000;        // a guard against programs that never end
  RefuseCall refuse = {};
};

// A run of a function in a child process, stopped at every system call (by a seccomp filter, which takes one
// stop for each where ptrace alone takes two). Threads and children of the child count, too, and die with it:
// its whole process group is traced. Owned by one thread.
class TracedRun {
 public:
  explicit TracedRun(const std::function<int()>& run) : child_(::fork()) {
    if (child_ == 0) {
      ::setpgid(0, 0);
      ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      ::raise(SIGSTOP);
      if (!stop_at_calls()) ::_exit(125);
      ::_exit(run());
    }
    int status = 0;
    if (child_ < 0 || ::waitpid(child_, &status, __WALL) != child_ || !WIFSTOPPED(status)) std::abort();
    request(PTRACE_SETOPTIONS, child_,
            PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                PTRACE_O_TRACEVFORK);
    request(PTRACE_CONT, child_, 0);
  }
  TracedRun(const TracedRun&) = delete;
  TracedRun& operator=(const TracedRun&) = delete;

  // Lets it run until it is about to make its system call number `point`, and kills it (SIGKILL).
  KillPoint kill_at(std::size_t point, const RefuseCall& refuse = {}) {
    KillPoint result{point};
    std::size_t calls = 0;
    run_on(result, [&](pid_t process, long call, const std::uint64_t* arguments) {
      if (++calls == point) {
        result.system_call = call;
        ::kill(-child_, SIGKILL);
      } else if (const int error = refuse ? refuse(call, arguments) : 0; error != 0) {
        skip_call(process, -error);
      }
    });
    return result;
  }

  // Lets it run to its end; its system call number `point` of those that `counts` accepts is not made but
  // fails with `error_number`. The result has system_call -1 when there were fewer. x86-64 only.
  KillPoint fail_at(std::size_t point, int error_number, const std::function<bool(long)>& counts) {
    KillPoint result{point};
    std::size_t calls = 0;
    run_on(result, [&](pid_t process, long call, const std::uint64_t*) {
      if (!counts(call) || ++calls != point) return;
      result.system_call = call;
      skip_call(process, -error_number);
    });
    return result;
  }

 private:
  static void request(__ptrace_request what, pid_t process, long data) {
    ::ptrace(what, process, nullptr, data);
  }

  static bool stop_at_calls() {
    sock_filter trace = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    const sock_fprog program{1, &trace};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  }

  // Until all are gone. `entered` is told of each call that is about to be made.
  template <class Entered>
  void run_on(KillPoint& result, const Entered& entered) {
    while (true) {
      int status = 0;
      const pid_t stopped = ::waitpid(-child_, &status, __WALL);
      if (stopped < 0 && errno == EINTR) continue;
      if (stopped < 0) return;
      if (WIFEXITED(status) || WIFSIGNALED(status)) {
        if (stopped == child_ && WIFEXITED(status)) {
          result.completed = true;
          result.exit_code = WEXITSTATUS(status);
        }
        continue;
      }
      const int signal = WSTOPSIG(status);
      if (status >> 8 == (SIGTRAP | (PTRACE_EVENT_SECCOMP << 8))) {
        __ptrace_syscall_info info = {};
        ::ptrace(PTRACE_GET_SYSCALL_INFO, stopped, sizeof info, &info);
        entered(stopped, static_cast<long>(info.seccomp.nr), info.seccomp.args);
      }
      request(PTRACE_CONT, stopped, signal == SIGTRAP || signal == SIGSTOP ? 0 : signal);
    }
  }

  static void skip_call([[maybe_unused]] pid_t process, [[maybe_unused]] long result) {
#ifdef __x86_64__
    user_regs_struct registers = {};
    ::ptrace(PTRACE_GETREGS, process, nullptr, &registers);
    registers.orig_rax = static_cast<unsigned long long>(-1);
    registers.rax = static_cast<unsigned long long>(result);
    ::ptrace(PTRACE_SETREGS, process, nullptr, &registers);
#endif
  }

  pid_t child_;
};

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
    const KillPoint reached = TracedRun(run).kill_at(point, options.refuse);
    after(reached);
    if (reached.completed) break;
    ++kills;
  }
  return kills;
}

// The same, but each of the system calls that `counts` accepts fails in turn, and the run goes on. `after`
// gets the exit code. Returns the number of failures; 0 where the processor is not known.
inline std::size_t for_each_failing_call(int error_number, const std::function<bool(long)>& counts,
                                         const std::function<void()>& prepare,
                                         const std::function<int()>& run,
                                         const std::function<void(const KillPoint&)>& after,
                                         const KillOptions& options = {}) {
#ifndef __x86_64__
  return 0;
#endif
  std::size_t failures = 0;
  for (std::size_t point = options.first; failures < options.most; point += options.stride) {
    prepare();
    const KillPoint reached = TracedRun(run).fail_at(point, error_number, counts);
    if (reached.system_call < 0) break;
    after(reached);
    ++failures;
  }
  return failures;
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
