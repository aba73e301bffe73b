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
#include "process/cgroup_entrance.h"
#include "process/launch_notes.h"
#include "process/launch_plan.h"
#include "process/launch_request.h"
#include "process/supervisor.h"
#include "sandbox/placeholders.h"
#include "sandbox/sandbox.h"
#include "sandbox/shield.h"

namespace helve::process {
namespace {

void close_from(unsigned first) { ::syscall(SYS_close_range, first, ~0U, 0U); }

// The command's pipes stay open as long as anybody has them, so nobody but the command may.
void let_go_of_streams() {
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
  // By the system call itself: glibc keeps two signals for itself, which posix_spawn leaves ignored.
  const std::array<unsigned long, 4> usual{};  // the kernel's struct, all SIG_DFL and nothing else
  for (int number = 1; number < NSIG; ++number)
    ::syscall(SYS_rt_sigaction, number, usual.data(), nullptr, sizeof(unsigned long));
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
            concat(program, " cannot be run: the interpreter or loader that it names is not there."),
            "Look at its first line, or at its format."};
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
    return {ErrorCode::kInvalidArgument, concat(directory, " is no directory, so no command can run in it."),
            "Name a directory as cwd."};
  return system_error(concat("Cannot run in ", directory), error);
}

// What is made before the namespaces are entered, because it leads out of them.
struct Outside {
  CgroupEntrance cgroups;
  std::optional<sandbox::Placeholders> placeholders;
};

Expected<Outside> prepare_outside(const Launch& launch) {
  auto cgroups = CgroupEntrance::open(launch.cgroups);
  if (!cgroups) return fail(cgroups.error());
  Outside outside{.cgroups = std::move(*cgroups)};
  if (launch.plan.level == sandbox::Level::kOff) return outside;
  auto placeholders = sandbox::Placeholders::make(launch.plan);
  if (!placeholders) return fail(placeholders.error());
  outside.placeholders.emplace(std::move(*placeholders));
  return outside;
}

// Runs in the command's process. Does not return when all is well.
Error become_command(Launch& launch, const Outside& outside, sandbox::Missing& missing, int report) {
  if (auto joined = outside.cgroups.join(); !joined) return joined.error();
  // Whoever manages to kill its watcher shall not run on unwatched. The kernel asks for no more than this.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A session of its own: what it does to its process group (kill 0) concerns nobody else.
  ::setsid();
  if (launch.terminal) ::ioctl(STDIN_FILENO, TIOCSCTTY, 0);
  if (::chdir(launch.directory.c_str()) != 0) return directory_error(launch.directory, errno);
  restore_descriptor_limit(launch.usual_descriptors);
  if (auto restricted = sandbox::restrict_self(launch.plan, missing); !restricted) return restricted.error();
  Note ready;
  ready.missing = part_bits(missing);
  if (auto told = write_all(report, {reinterpret_cast<const char*>(&ready), sizeof ready}); !told)
    return told.error();
  auto argv = pointers_to(launch.argv);
  auto environment = pointers_to(launch.environment);
  restore_signals();
  ::execve(argv[0], argv.data(), environment.data());
  return start_error(launch.argv[0], errno);
}

// What the command's process told before it became the command: `ready`, followed by `failed` if that went
// wrong.
Note read_report(int fd) {
  Note last =
      failed_note({ErrorCode::kExecutionFailed, "The command's process ended before it could start."});
  for (;;) {
    Note note;
    std::size_t had = 0;
    while (had < sizeof note) {
      const ssize_t got = ::read(fd, reinterpret_cast<char*>(&note) + had, sizeof note - had);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return last;
      had += static_cast<std::size_t>(got);
    }
    last = note;
  }
}

int give_up(const Error& error) {
  send_note(kControlDescriptor, failed_note(error));
  return 1;
}

// The part that is the same with and without a PID namespace: build the view, start the command, watch over
// it.
int run_command(Launch& launch, Outside& outside, sandbox::Missing& missing, bool own_pid_namespace,
                int launcher) {
  if (launch.plan.level != sandbox::Level::kOff) {
    if (auto built = sandbox::build_view(launch.plan, missing); !built) return give_up(built.error());
  }
  // The command may be of the same user; it shall not look into whoever watches over it.
  sandbox::shield_self();
  if (!own_pid_namespace) ::prctl(PR_SET_CHILD_SUBREAPER, 1);

  std::array<int, 2> report{};
  if (::pipe2(report.data(), O_CLOEXEC) != 0) return give_up(system_error("Cannot make a pipe", errno));
  const pid_t command = outside.cgroups.fork_inside();
  if (command < 0) return give_up(system_error("Cannot start the command's process", errno));
  if (command == 0) {
    const Note note = failed_note(become_command(launch, outside, missing, report[1]));
    static_cast<void>(write_all(report[1], {reinterpret_cast<const char*>(&note), sizeof note}));
    ::_exit(127);
  }
  ::close(report[1]);
  let_go_of_streams();
  Note outcome = read_report(report[0]);
  outcome.own_pid_namespace = own_pid_namespace ? 1 : 0;
  ::close(report[0]);
  send_note(kControlDescriptor, outcome);
  if (outcome.kind == Note::Kind::kFailed) {
    ::waitpid(command, nullptr, 0);
    return 1;
  }
  supervise({.command = command,
             .control = kControlDescriptor,
             .launcher = launcher,
             .own_pid_namespace = own_pid_namespace});
  return 0;
}

// The launcher outside of the namespace only waits: when init is gone, so is everything that it was above.
int wait_for_init(pid_t init) {
  let_go_of_streams();
  ::close(kControlDescriptor);
  int status = 0;
  while (::waitpid(init, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// Stays until Helve hangs up, whatever the way.
int hold_network() {
  let_go_of_streams();
  if (auto held = sandbox::hold_network(); !held) return give_up(held.error());
  send_note(kControlDescriptor, {});
  pollfd helve{kControlDescriptor, POLLRDHUP, 0};
  while (::poll(&helve, 1, -1) < 0 && errno == EINTR) {
  }
  return 0;
}

// Our parent's child, as we are. Not by clone3, which many a container refuses.
pid_t fork_for_parent() {
  return static_cast<pid_t>(::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
}

void take_places(LaunchDescriptors<UniqueFd>& descriptors) {
  // They arrived at higher numbers, in this order: none is given away before its turn.
  for (std::size_t place = 0; place < descriptors.size(); ++place)
    ::dup2(descriptors[place].release(), static_cast<int>(place));
  close_from(kLaunchDescriptors);
  ::fcntl(kPlanDescriptor, F_SETFD, FD_CLOEXEC);
  ::fcntl(kControlDescriptor, F_SETFD, FD_CLOEXEC);
}

int launch_with(LaunchDescriptors<UniqueFd>& descriptors) {
  take_places(descriptors);
  ::setsid();
  // To write its map of users it has to be an ordinary process again.
  ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);

  auto launch = read_sealed_launch(kPlanDescriptor);
  ::close(kPlanDescriptor);
  if (!launch) return give_up(launch.error());
  if (launch->holds_network) return hold_network();
  if (launch->argv.empty() || !launch->argv[0].starts_with('/'))
    return give_up({ErrorCode::kInvalidArgument, "The command names no program by its absolute path."});

  auto outside = prepare_outside(*launch);  // goes when everything else has ended
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
  // A launcher that died before this is noticed by its pidfd, one that dies later by either.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::_exit(run_command(*launch, *outside, missing, true, self.get()));
}

}  // namespace

bool launcher_requested(int argc, char** argv) {
  return argc == 1 && std::strcmp(argv[0], kLauncherName) == 0;
}

int launcher_main() {
  // Nothing but SIGKILL disturbs; the command gets the usual dispositions back.
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  close_from(kPadDescriptor + 1);
  ::prctl(PR_SET_NAME, kLauncherName);
  sandbox::shield_self();
  while (auto descriptors = receive_launch_request(kPadDescriptor)) {
    const pid_t copy = fork_for_parent();
    if (copy == 0)
      ::_exit(launch_with(*descriptors));  // nothing of the program was begun that exit() would end
    send_launch_answer(kPadDescriptor, copy < 0 ? -errno : copy);
  }
  return 0;
}

}  // namespace helve::process
