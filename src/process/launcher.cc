#include "process/launcher.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/descriptor_limit.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "process/fork_server.h"
#include "process/launch_cgroup.h"
#include "process/launcher_protocol.h"
#include "process/supervisor.h"
#include "sandbox/reserved_paths.h"
#include "sandbox/sandbox.h"
#include "sandbox/watch_filter.h"

namespace helve::process {
namespace {

void close_from(unsigned first) { ::syscall(SYS_close_range, first, ~0U, 0U); }

// Helve sees the end of the command's output only if no other process keeps its pipes open.
void close_streams() {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int stream = 0; stream <= 2; ++stream) {
    if (null >= 0)
      ::dup2(null, stream);
    else
      ::close(stream);
  }
  if (null > 2) ::close(null);
}

void restore_signals() {
  // By system call: glibc reserves two signals, which posix_spawn leaves ignored.
  const std::array<unsigned long, 4> default_action{};  // the kernel's struct sigaction: SIG_DFL, no flags
  for (int number = 1; number < NSIG; ++number)
    ::syscall(SYS_rt_sigaction, number, default_action.data(), nullptr, sizeof(unsigned long));
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

Error start_error(const std::string& program, int error) {
  if (error == ENOENT && ::access(program.c_str(), F_OK) == 0)
    return {ErrorCode::kNotFound,
            concat("Cannot run ", program, ": its interpreter or loader does not exist."),
            "Check its #! line or its binary format."};
  if (error == ENOENT)
    return {ErrorCode::kNotFound, concat("There is no program ", program, " where the command runs."),
            "Name an existing program by its absolute path."};
  if (error == E2BIG)
    return {ErrorCode::kInvalidArgument, "The command and its environment are too long for the system.",
            "Write the command to a file and run that."};
  return system_error(concat("Cannot run ", program), error);
}

Error directory_error(const std::string& directory, int error) {
  if (error == ENOENT)
    return {ErrorCode::kNotFound, concat("There is no directory ", directory, " to run the command in."),
            "Use ls or find to look for it, or leave cwd out to run in the workspace."};
  if (error == ENOTDIR)
    return {ErrorCode::kInvalidArgument,
            concat(directory, " is not a directory, so no command can run in it."),
            "Name a directory as cwd."};
  return system_error(concat("Cannot run in ", directory), error);
}

// Resources that must be opened before the namespaces are entered, because they are outside.
struct Outside {
  CgroupHandles cgroups;
  std::optional<sandbox::ReservedPaths> reserved_paths;
};

Expected<Outside> prepare_outside(Launch& launch) {
  auto cgroups = CgroupHandles::open(launch.cgroups);
  if (!cgroups) return fail(cgroups.error());
  Outside outside{.cgroups = std::move(*cgroups)};
  if (launch.plan.level == sandbox::Level::kOff) return outside;
  auto reserved_paths = sandbox::ReservedPaths::make(launch.plan);
  if (!reserved_paths) return fail(reserved_paths.error());
  launch.plan.no_new_names = reserved_paths->lacks_room();
  outside.reserved_paths.emplace(std::move(*reserved_paths));
  return outside;
}

// When the machine's memory is full, the kernel shall end commands before Helve. Where that is refused, it
// chooses by size alone.
void end_first_without_memory() {
  const UniqueFd score(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (score) static_cast<void>(write_all(score.get(), "500"));
}

// Runs in the command's process. Returns only on failure.
Error become_command(Launch& launch, const Outside& outside, sandbox::Missing& missing, int report) {
  if (auto joined = outside.cgroups.join(); !joined) return joined.error();
  // If the command kills its supervisor, it must die with it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // With its own session and process group, a `kill 0` of the command affects no other process.
  ::setsid();
  if (launch.terminal) ::ioctl(STDIN_FILENO, TIOCSCTTY, 0);
  if (::chdir(launch.directory.c_str()) != 0) return directory_error(launch.directory, errno);
  restore_descriptor_limit(launch.usual_descriptors);
  end_first_without_memory();
  if (auto restricted = sandbox::restrict_self(launch.plan, missing); !restricted) return restricted.error();
  LauncherMessage ready;
  ready.missing = part_bits(missing);
  if (launch.watched) {
    const UniqueFd listener = sandbox::watch_changes();
    if (!listener) {
      ready.watch_error = errno;
    } else if (const int error = send_listener(kControlDescriptor, listener.get()); error != 0) {
      return system_error("Cannot record what the command changes", error);
    }
  }
  if (auto sent = write_all(report, {reinterpret_cast<const char*>(&ready), sizeof ready}); !sent)
    return sent.error();
  auto argv = pointers_to(launch.argv);
  auto environment = pointers_to(launch.environment);
  restore_signals();
  ::execve(argv[0], argv.data(), environment.data());
  return start_error(launch.argv[0], errno);
}

// Reads the messages of the command's process before exec: `ready`, followed by `failed` if exec failed.
LauncherMessage read_report(int fd) {
  LauncherMessage last =
      failure_message({ErrorCode::kExecutionFailed, "The command's process ended before it could start."});
  for (;;) {
    LauncherMessage message;
    std::size_t had = 0;
    while (had < sizeof message) {
      const ssize_t got = ::read(fd, reinterpret_cast<char*>(&message) + had, sizeof message - had);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return last;
      had += static_cast<std::size_t>(got);
    }
    last = message;
  }
}

int give_up(const Error& error) {
  send_message(kControlDescriptor, failure_message(error));
  return 1;
}

// The steps with and without a PID namespace: build the view, start the command, supervise it.
int run_command(Launch& launch, Outside& outside, sandbox::Missing& missing, bool own_pid_namespace,
                int launcher) {
  if (launch.plan.level != sandbox::Level::kOff) {
    if (auto built = sandbox::build_view(launch.plan, missing); !built) return give_up(built.error());
  }
  // The command may run as the same user and must not inspect its supervisor.
  sandbox::make_undumpable();
  if (!own_pid_namespace) ::prctl(PR_SET_CHILD_SUBREAPER, 1);

  std::array<int, 2> report{};
  if (::pipe2(report.data(), O_CLOEXEC) != 0) return give_up(system_error("Cannot create a pipe", errno));
  const pid_t command = outside.cgroups.fork_into();
  if (command < 0) return give_up(system_error("Cannot start the command's process", errno));
  if (command == 0) {
    const LauncherMessage message = failure_message(become_command(launch, outside, missing, report[1]));
    static_cast<void>(write_all(report[1], {reinterpret_cast<const char*>(&message), sizeof message}));
    ::_exit(127);
  }
  ::close(report[1]);
  close_streams();
  LauncherMessage outcome = read_report(report[0]);
  outcome.own_pid_namespace = own_pid_namespace ? 1 : 0;
  ::close(report[0]);
  send_message(kControlDescriptor, outcome);
  if (outcome.kind == LauncherMessage::Kind::kFailed) {
    ::waitpid(command, nullptr, 0);
    return 1;
  }
  supervise({.command = command,
             .control = kControlDescriptor,
             .launcher = launcher,
             .own_pid_namespace = own_pid_namespace});
  return 0;
}

// The launcher outside the namespace only waits: when init exits, the kernel kills all processes below it.
int wait_for_init(pid_t init) {
  close_streams();
  ::close(kControlDescriptor);
  int status = 0;
  while (::waitpid(init, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// Runs until Helve hangs up or dies.
int hold_network() {
  close_streams();
  if (auto held = sandbox::hold_network(); !held) return give_up(held.error());
  send_message(kControlDescriptor, {});
  pollfd helve{kControlDescriptor, POLLRDHUP, 0};
  while (::poll(&helve, 1, -1) < 0 && errno == EINTR) {
  }
  return 0;
}

// Forks a sibling: the child's parent is Helve. Uses clone, because many containers refuse clone3.
pid_t fork_sibling() { return static_cast<pid_t>(::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)); }

void install_descriptors(LaunchDescriptors<UniqueFd>& descriptors) {
  // They arrived in this order at higher numbers, so no dup2() overwrites one that is still needed.
  for (std::size_t i = 0; i < descriptors.size(); ++i) ::dup2(descriptors[i].release(), static_cast<int>(i));
  close_from(kLaunchDescriptors);
  ::fcntl(kPlanDescriptor, F_SETFD, FD_CLOEXEC);
  ::fcntl(kControlDescriptor, F_SETFD, FD_CLOEXEC);
}

int launch_with(LaunchDescriptors<UniqueFd>& descriptors) {
  install_descriptors(descriptors);
  ::setsid();
  // Only a dumpable process can write its user map.
  ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);

  auto launch = read_sealed_launch(kPlanDescriptor);
  ::close(kPlanDescriptor);
  if (!launch) return give_up(launch.error());
  if (launch->holds_network) return hold_network();
  if (launch->argv.empty() || !launch->argv[0].starts_with('/'))
    return give_up({ErrorCode::kInvalidArgument, "The command's program must be an absolute path."});

  auto outside = prepare_outside(*launch);  // destroyed after everything else has ended
  if (!outside) return give_up(outside.error());
  sandbox::Missing missing;
  if (launch->plan.level == sandbox::Level::kOff) return run_command(*launch, *outside, missing, false, -1);
  if (auto entered = sandbox::enter_namespaces(launch->plan, missing); !entered)
    return give_up(entered.error());
  if (std::ranges::find(missing, sandbox::Part::kPidNamespace) != missing.end())
    return run_command(*launch, *outside, missing, false, -1);

  const UniqueFd self(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  const pid_t init = ::fork();
  if (init < 0) return give_up(system_error("Cannot start the command's init", errno));
  if (init > 0) return wait_for_init(init);
  // If the launcher has already died, init notices it by the pidfd.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::_exit(run_command(*launch, *outside, missing, true, self.get()));
}

}  // namespace

bool launcher_requested(int argc, char** argv) {
  return argc == 1 && std::strcmp(argv[0], kLauncherName) == 0;
}

int launcher_main() {
  // Block all signals; restore_signals() undoes this for the command.
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  close_from(kForkServerSocket + 1);
  ::prctl(PR_SET_NAME, kLauncherName);
  sandbox::make_undumpable();
  while (auto descriptors = receive_launch_request(kForkServerSocket)) {
    const pid_t launcher = fork_sibling();
    if (launcher == 0) ::_exit(launch_with(*descriptors));  // skips exit handlers; none are needed here
    send_launch_answer(kForkServerSocket, launcher < 0 ? -errno : launcher);
  }
  return 0;
}

}  // namespace helve::process
