// Kills a program before each of its system calls in turn, or makes each of them fail, to test crash safety
// and error handling.
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

namespace helve::changes {

// The result of one run.
struct KillPoint {
  std::size_t number = 0;  // of the system call before which it was killed, counting from 1
  long system_call = -1;   // its number; SYS_renameat2 and the like
  bool completed = false;  // the run ended before that call: there are no more points
  int exit_code = -1;      // of a completed run
};

// Returns an error number for system calls that should fail, as on another file system, else 0. x86-64 only.
using RefuseCall = std::function<int(long call, const std::uint64_t* arguments)>;

// Forks of sanitized processes are slow, so only some points are tried with sanitizers.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kKillStride = 7;
#else
constexpr std::size_t kKillStride = 1;
#endif

struct KillOptions {
  std::size_t first = 1;
  std::size_t stride = kKillStride;  // distance between tried system calls
  std::size_t most = 100'000;        // a guard against programs that never end
  RefuseCall refuse = {};
};

// Runs a function in a child process that stops at every system call. A seccomp filter needs one stop per
// call, ptrace alone two. The whole process group is traced, so threads and children of the child are
// included. Owned by one thread.
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

  // Kills it (SIGKILL) just before system call number `point`.
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

  // Runs it to the end, but system call number `point` of those that `counts` accepts fails with
  // `error_number`. The result has system_call -1 when there were fewer. x86-64 only.
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

  // Until all processes are gone. Calls `entered` before each system call.
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
// after(); then the same with the second, and so on until a run completes. `run` returns the exit code, or
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

// The same, but each system call that `counts` accepts fails in turn and the run continues. `after` gets the
// exit code. Returns the number of failures; 0 on unsupported processors.
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

// For `run`: executes another program and discards its output.
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

}  // namespace helve::changes
