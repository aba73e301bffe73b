// A launcher for tests: runs a program behind the walls of a plan and hands back what came of it.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_io.h"
#include "base/strings.h"
#include "sandbox/placeholders.h"
#include "sandbox/sandbox.h"

namespace helve::sandbox {

inline constexpr uid_t kNobody = 65534;
inline constexpr int kNotLaunched = 250;

struct Outcome {
  int exit_code = -1;  // 128 + signal when one ended it, kNotLaunched when the walls could not be built
  std::string output = {};
  [[nodiscard]] bool ok() const { return exit_code == 0; }
};

struct Launch {
  bool as_ordinary_user = false;
  int stdin_fd = -1;  // -1: /dev/null
  Missing missing = {};
  bool skip_namespaces = false;             // only the walls that a process puts around itself
  std::function<void()> before = {};        // in the launcher, before everything
  std::function<void(pid_t)> started = {};  // in the caller, once the launcher lives
  std::function<int()> in_place_of_program = {};
};

namespace detail {

inline int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

[[noreturn]] inline void give_up(const Error& error) {
  static_cast<void>(write_all(2, concat(error.message, "\n", error.hint, "\n")));
  ::_exit(kNotLaunched);
}

[[noreturn]] inline void run_program(const Plan& plan, Launch& launch,
                                     const std::vector<std::string>& words) {
  if (auto walled = restrict_self(plan, launch.missing); !walled) give_up(walled.error());
  if (launch.in_place_of_program) ::_exit(launch.in_place_of_program());
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  give_up(system_error(concat("Cannot run ", words[0]), errno));
}

[[noreturn]] inline void run_init(const Plan& plan, Launch& launch, const std::vector<std::string>& words) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (auto built = build_view(plan, launch.missing); !built) give_up(built.error());
  const pid_t command = ::fork();
  if (command == 0) run_program(plan, launch, words);
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    if (ended == command) ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    if (ended < 0 && errno == ECHILD) ::_exit(kNotLaunched);
  }
}

[[noreturn]] inline void run_launcher(const Plan& plan, Launch& launch,
                                      const std::vector<std::string>& words) {
  if (launch.before) launch.before();
  if (launch.as_ordinary_user && ::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0))
    ::_exit(kNotLaunched);
  ::prctl(PR_SET_DUMPABLE, 1);  // as after the exec that a real launcher comes from
  if (launch.skip_namespaces) run_program(plan, launch, words);
  Expected<Placeholders> placeholders = Placeholders::make(plan);
  if (!placeholders) give_up(placeholders.error());
  if (auto entered = enter_namespaces(plan, launch.missing); !entered) {
    static_cast<void>(placeholders->remove());
    give_up(entered.error());
  }
  const pid_t init = ::fork();
  if (init == 0) run_init(plan, launch, words);
  const int exit_code = wait_for(init);
  static_cast<void>(placeholders->remove());
  ::_exit(exit_code);
}

}  // namespace detail

inline Outcome run_walled(const Plan& plan, const std::vector<std::string>& words, Launch launch = {}) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
  UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  // Otherwise the command could not open its own output again as /dev/stdout.
  if (launch.as_ordinary_user && ::geteuid() == 0)
    static_cast<void>(::fchown(writing.get(), kNobody, kNobody));
  const pid_t launcher = ::fork();
  if (launcher == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    ::dup2(launch.stdin_fd >= 0 ? launch.stdin_fd : nothing.get(), 0);
    ::dup2(writing.get(), 1);
    ::dup2(writing.get(), 2);
    detail::run_launcher(plan, launch, words);
  }
  writing.reset();
  if (launch.started) launch.started(launcher);
  Outcome outcome;
  if (auto text = read_all(reading.get(), std::size_t{64} << 20)) outcome.output = std::move(*text);
  outcome.exit_code = detail::wait_for(launcher);
  return outcome;
}

inline Outcome run_shell(const Plan& plan, const std::string& script, Launch launch = {}) {
  return run_walled(plan, {"/bin/bash", "-c", script}, std::move(launch));
}

}  // namespace helve::sandbox
