#include "process/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/strings.h"
#include "process/launcher.h"
#include "process/pseudo_terminal.h"

namespace helve::process {
namespace {

constexpr int kPipeBytes = 1 << 20;

struct Ends {
  UniqueFd ours;
  UniqueFd childs;
};

// The numbers that the child's descriptors are moved to must not be among those that they are moved from.
Expected<UniqueFd> moved_up(UniqueFd fd) {
  constexpr int kFirstFree = 10;
  UniqueFd higher(::fcntl(fd.get(), F_DUPFD_CLOEXEC, kFirstFree));
  if (!higher) return fail(system_error("Cannot duplicate a descriptor", errno));
  return higher;
}

Expected<Ends> finish(UniqueFd ours, UniqueFd childs) {
  const int flags = ::fcntl(ours.get(), F_GETFL);
  if (::fcntl(ours.get(), F_SETFL, flags | O_NONBLOCK) != 0)
    return fail(system_error("Cannot prepare a descriptor", errno));
  auto moved = moved_up(std::move(childs));
  if (!moved) return fail(moved.error());
  return Ends{std::move(ours), std::move(*moved)};
}

enum class Direction { kToCommand, kFromCommand };

Expected<Ends> make_pipe(Direction direction) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(system_error("Cannot make a pipe", errno));
  UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  if (direction == Direction::kToCommand) return finish(std::move(write_end), std::move(read_end));
  // Refused to a user who has many large pipes; a small one only is slower.
  ::fcntl(read_end.get(), F_SETPIPE_SZ, kPipeBytes);
  return finish(std::move(read_end), std::move(write_end));
}

Expected<Ends> make_control() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return fail(system_error("Cannot make a control socket", errno));
  return finish(UniqueFd(ends[0]), UniqueFd(ends[1]));
}

class SpawnSetting {
 public:
  SpawnSetting() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t all;
    sigfillset(&all);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    // The launcher blocks everything anyway; no signal shall hit it before it comes to that.
    ::posix_spawnattr_setsigmask(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnSetting() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetting(const SpawnSetting&) = delete;
  SpawnSetting& operator=(const SpawnSetting&) = delete;

  void give(int fd, int as) { ::posix_spawn_file_actions_adddup2(&actions_, fd, as); }
  // 0, or an errno.
  int spawn(pid_t& pid, const std::string& program) {
    std::string name = kLauncherName;
    std::array<char*, 2> arguments = {name.data(), nullptr};
    std::array<char*, 1> environment = {nullptr};
    return ::posix_spawn(&pid, program.c_str(), &actions_, &attributes_, arguments.data(),
                         environment.data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

struct ChildSide {
  UniqueFd input;
  UniqueFd output;
  UniqueFd error;  // absent: as output
};

Expected<ChildSide> connect_terminal(const Streams& streams, Child& child) {
  auto terminal = open_pseudo_terminal(streams.columns, streams.rows);
  if (!terminal) return fail(terminal.error());
  child.read_from.device = terminal->device;
  auto ends = finish(std::move(terminal->controller), std::move(terminal->terminal));
  if (!ends) return fail(ends.error());
  child.input.reset(::fcntl(ends->ours.get(), F_DUPFD_CLOEXEC, 0));
  ChildSide side;
  side.input.reset(::fcntl(ends->childs.get(), F_DUPFD_CLOEXEC, 10));
  if (!child.input || !side.input) return fail(system_error("Cannot duplicate a descriptor", errno));
  child.output = std::move(ends->ours);
  side.output = std::move(ends->childs);
  return side;
}

Expected<ChildSide> connect_pipes(const Streams& streams, Child& child) {
  ChildSide side;
  if (streams.input == Streams::Input::kPipe) {
    auto ends = make_pipe(Direction::kToCommand);
    if (!ends) return fail(ends.error());
    struct stat status;
    if (::fstat(ends->ours.get(), &status) == 0) child.read_from.inode = status.st_ino;
    child.input = std::move(ends->ours);
    side.input = std::move(ends->childs);
  } else {
    auto null = moved_up(UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)));
    if (!null) return fail(null.error());
    side.input = std::move(*null);
  }
  auto output = make_pipe(Direction::kFromCommand);
  if (!output) return fail(output.error());
  auto error = make_pipe(Direction::kFromCommand);
  if (!error) return fail(error.error());
  child.output = std::move(output->ours);
  side.output = std::move(output->childs);
  child.error = std::move(error->ours);
  side.error = std::move(error->childs);
  return side;
}

}  // namespace

Expected<Child> spawn(const Launch& launch, const Streams& streams, const std::string& launcher_program) {
  Launch told = launch;
  told.terminal = streams.terminal;
  auto plan = seal_launch(told);
  if (!plan) return fail(plan.error());
  plan = moved_up(std::move(*plan));
  if (!plan) return fail(plan.error());
  auto control = make_control();
  if (!control) return fail(control.error());

  Child child;
  auto side = streams.terminal ? connect_terminal(streams, child) : connect_pipes(streams, child);
  if (!side) return fail(side.error());
  child.control = std::move(control->ours);

  SpawnSetting setting;
  setting.give(side->input.get(), STDIN_FILENO);
  setting.give(side->output.get(), STDOUT_FILENO);
  setting.give(side->error ? side->error.get() : side->output.get(), STDERR_FILENO);
  setting.give(plan->get(), kPlanDescriptor);
  setting.give(control->childs.get(), kControlDescriptor);
  if (const int error = setting.spawn(child.launcher, launcher_program); error != 0)
    return fail(system_error(concat("Cannot start the launcher ", launcher_program), error));
  child.pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, child.launcher, 0)));
  if (!child.pidfd) {
    const int error = errno;
    child.control.reset();  // which ends the command and then the launcher
    ::waitpid(child.launcher, nullptr, 0);
    return fail(system_error("Cannot watch the command", error));
  }
  return child;
}

}  // namespace helve::process
