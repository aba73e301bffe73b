// Runs programs in the sandbox of a plan, for tests, and a test fixture with a workspace.
#pragma once

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_io.h"
#include "base/strings.h"
#include "base/test_directory.h"
#include "sandbox/reserved_paths.h"
#include "sandbox/sandbox.h"

namespace helve::sandbox {

inline constexpr uid_t kNobody = 65534;
inline constexpr int kNotLaunched = 250;

struct Outcome {
  int exit_code = -1;  // 128 + signal if killed, kNotLaunched if the sandbox failed
  std::string output = {};
  [[nodiscard]] bool ok() const { return exit_code == 0; }
};

struct Launch {
  bool as_ordinary_user = false;
  int stdin_fd = -1;  // -1: /dev/null
  Missing missing = {};
  bool skip_namespaces = false;             // only restrict_self()
  std::function<void()> before = {};        // in the launcher, before anything else
  std::function<void(pid_t)> started = {};  // in the caller, once the launcher runs
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
  if (auto restricted = restrict_self(plan, launch.missing); !restricted) give_up(restricted.error());
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

[[noreturn]] inline void run_launcher(Plan plan, Launch& launch, const std::vector<std::string>& words) {
  if (launch.before) launch.before();
  if (launch.as_ordinary_user && ::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0))
    ::_exit(kNotLaunched);
  ::prctl(PR_SET_DUMPABLE, 1);  // like a real launcher
  if (launch.skip_namespaces) run_program(plan, launch, words);
  Expected<ReservedPaths> reserved = ReservedPaths::make(plan);
  if (!reserved) give_up(reserved.error());
  plan.no_new_names = reserved->lacks_room();
  if (auto entered = enter_namespaces(plan, launch.missing); !entered) {
    static_cast<void>(reserved->remove());
    give_up(entered.error());
  }
  const pid_t init = ::fork();
  if (init == 0) run_init(plan, launch, words);
  const int exit_code = wait_for(init);
  static_cast<void>(reserved->remove());
  ::_exit(exit_code);
}

}  // namespace detail

inline Outcome run_sandboxed(const Plan& plan, const std::vector<std::string>& words, Launch launch = {}) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
  UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  // Otherwise the command could not reopen its output as /dev/stdout.
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
  return run_sandboxed(plan, {"/bin/bash", "-c", script}, std::move(launch));
}

enum class Who { kRoot, kOrdinaryUser };

inline std::string name_of(const testing::TestParamInfo<Who>& info) {
  return info.param == Who::kRoot ? "AsRoot" : "AsOrdinaryUser";
}

// A directory per test, owned by the user who runs the command, removed afterwards. Each test runs as both
// users.
class SandboxTest : public testing::TestWithParam<Who> {
 protected:
  void SetUp() override {
    if (GetParam() == Who::kRoot && ::geteuid() != 0) GTEST_SKIP() << "needs root";
    for (const char* name : {"workspace", "outside", "temporary"}) make(name);
    plan_.workspace = at("workspace");
  }

  [[nodiscard]] std::string at(std::string_view name) const { return directory_.at(name); }
  void own(const std::string& path) const {
    if (::geteuid() != 0 || GetParam() != Who::kOrdinaryUser) return;
    ASSERT_EQ(::lchown(path.c_str(), kNobody, kNobody), 0) << path;
  }
  void make(std::string_view name) const {
    std::string path = directory_.path();
    for (const std::string_view piece : split(name, '/')) {
      path += concat("/", piece);
      if (std::filesystem::create_directory(path)) own(path);
    }
  }
  void write(std::string_view name, std::string_view text) const {
    make(std::filesystem::path(name).parent_path().string());
    std::ofstream(at(name), std::ios::binary) << text;
    own(at(name));
  }
  [[nodiscard]] std::string read(std::string_view name) const { return directory_.read(name); }
  [[nodiscard]] bool exists(std::string_view name) const { return directory_.exists(name); }

  [[nodiscard]] Launch launch() const { return {.as_ordinary_user = GetParam() == Who::kOrdinaryUser}; }
  Outcome shell(const std::string& script) const { return run_shell(plan_, script, launch()); }
  // The script must succeed; returns its output.
  std::string good(const std::string& script) const {
    const Outcome outcome = shell(script);
    EXPECT_EQ(outcome.exit_code, 0) << script << "\n" << outcome.output;
    return outcome.output;
  }
  // The script must fail, but the sandbox must not.
  void refused(const std::string& script) const {
    const Outcome outcome = shell(script);
    EXPECT_NE(outcome.exit_code, 0) << script << "\n" << outcome.output;
    EXPECT_NE(outcome.exit_code, kNotLaunched) << script << "\n" << outcome.output;
  }

  TestDirectory directory_;
  Plan plan_;
};

#define HELVE_SANDBOX_TEST_AS_BOTH_USERS(suite) \
  INSTANTIATE_TEST_SUITE_P(Users, suite, testing::Values(Who::kRoot, Who::kOrdinaryUser), name_of)

}  // namespace helve::sandbox
