#include "process/spawn.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/descriptor_limit.h"
#include "base/strings.h"
#include "process/pseudo_terminal.h"

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

Expected<Child> spawn(const Launch& launch, const Streams& streams, LaunchPad& pad) {
  Launch told = launch;
  told.terminal = streams.terminal;
  told.usual_descriptors = usual_descriptor_limit();
  auto plan = seal_launch(told);
  if (!plan) return fail(plan.error());
  auto control = make_control();
  if (!control) return fail(control.error());

  Child child;
  auto side = streams.terminal ? connect_terminal(streams, child) : connect_pipes(streams, child);
  if (!side) return fail(side.error());
  child.control = std::move(control->ours);

  const int error = side->error ? side->error.get() : side->output.get();
  const auto launcher =
      pad.launch({side->input.get(), side->output.get(), error, plan->get(), control->childs.get()});
  if (!launcher) return fail(launcher.error());
  child.launcher = *launcher;
  child.pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, child.launcher, 0)));
  if (!child.pidfd) {
    const int cause = errno;
    child.control.reset();  // which ends the command and then the launcher
    ::waitpid(child.launcher, nullptr, 0);
    return fail(system_error("Cannot watch the command", cause));
  }
  return child;
}

}  // namespace helve::process
