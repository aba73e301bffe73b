#include "process/spawn.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/descriptor_limit.h"
#include "base/strings.h"

namespace helve::process {
namespace {

constexpr int kPipeBytes = 1 << 20;

struct Ends {
  UniqueFd ours;
  UniqueFd childs;
};

Expected<Ends> finish(UniqueFd ours, UniqueFd childs) {
  const int flags = ::fcntl(ours.get(), F_GETFL);
  if (::fcntl(ours.get(), F_SETFL, flags | O_NONBLOCK) != 0)
    return fail(system_error("Cannot prepare a descriptor", errno));
  return Ends{std::move(ours), std::move(childs)};
}

enum class Direction { kToCommand, kFromCommand };

Expected<Ends> make_pipe(Direction direction) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(system_error("Cannot create a pipe", errno));
  UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  if (direction == Direction::kToCommand) return finish(std::move(write_end), std::move(read_end));
  // Fails for a user with many large pipes; a small pipe is only slower.
  ::fcntl(read_end.get(), F_SETPIPE_SZ, kPipeBytes);
  return finish(std::move(read_end), std::move(write_end));
}

Expected<Ends> make_control() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return fail(system_error("Cannot create a control socket", errno));
  return finish(UniqueFd(ends[0]), UniqueFd(ends[1]));
}

struct ChildSide {
  UniqueFd input;
  UniqueFd output;
  UniqueFd error;  // absent: the same as output
};

struct PseudoTerminal {
  UniqueFd controller = {};
  UniqueFd terminal = {};    // the command's side
  std::uint64_t device = 0;  // device number of the command's side
};

Expected<PseudoTerminal> open_pseudo_terminal(std::uint16_t columns, std::uint16_t rows) {
  PseudoTerminal pair;
  pair.controller.reset(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pair.controller) return fail(system_error("Cannot create a terminal for the command", errno));
  int locked = 0;
  if (::ioctl(pair.controller.get(), TIOCSPTLCK, &locked) != 0)
    return fail(system_error("Cannot unlock the command's terminal", errno));
  // By descriptor, because the name may refer to another file in a different mount namespace.
  pair.terminal.reset(::ioctl(pair.controller.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pair.terminal) return fail(system_error("Cannot open the command's terminal", errno));

  winsize size{};
  size.ws_col = columns;
  size.ws_row = rows;
  ::ioctl(pair.terminal.get(), TIOCSWINSZ, &size);
  termios modes{};
  if (::tcgetattr(pair.terminal.get(), &modes) == 0) {
    // Keep the line breaks that the command writes.
    modes.c_oflag &= ~static_cast<tcflag_t>(ONLCR);
    ::tcsetattr(pair.terminal.get(), TCSANOW, &modes);
  }
  struct stat status;
  if (::fstat(pair.terminal.get(), &status) == 0) pair.device = status.st_rdev;
  return pair;
}

Expected<ChildSide> connect_terminal(const Streams& streams, Child& child) {
  auto terminal = open_pseudo_terminal(streams.columns, streams.rows);
  if (!terminal) return fail(terminal.error());
  child.read_from.device = terminal->device;
  auto ends = finish(std::move(terminal->controller), std::move(terminal->terminal));
  if (!ends) return fail(ends.error());
  child.input.reset(::fcntl(ends->ours.get(), F_DUPFD_CLOEXEC, 0));
  ChildSide side;
  side.input.reset(::fcntl(ends->childs.get(), F_DUPFD_CLOEXEC, 0));
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
    side.input.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!side.input) return fail(system_error("Cannot open /dev/null", errno));
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

Expected<Child> spawn(const Launch& launch, const Streams& streams, ForkServer& fork_server) {
  Launch complete = launch;
  complete.terminal = streams.terminal;
  complete.usual_descriptors = usual_descriptor_limit();
  auto plan = seal_launch(complete);
  if (!plan) return fail(plan.error());
  auto control = make_control();
  if (!control) return fail(control.error());

  Child child;
  auto side = streams.terminal ? connect_terminal(streams, child) : connect_pipes(streams, child);
  if (!side) return fail(side.error());
  child.control = std::move(control->ours);

  const int error = side->error ? side->error.get() : side->output.get();
  const auto launcher =
      fork_server.launch({side->input.get(), side->output.get(), error, plan->get(), control->childs.get()});
  if (!launcher) return fail(launcher.error());
  child.launcher = *launcher;
  child.pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, child.launcher, 0)));
  if (!child.pidfd) {
    const int cause = errno;
    child.control.reset();  // ends the command, then the launcher
    ::waitpid(child.launcher, nullptr, 0);
    return fail(system_error("Cannot watch the command", cause));
  }
  return child;
}

}  // namespace helve::process
