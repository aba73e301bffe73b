#include "lsp/server_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/strings.h"
#include "base/utf8.h"
#include "process/launcher_protocol.h"
#include "process/process_info.h"

namespace helve::lsp {
namespace {

constexpr std::size_t kStderrTail = 8 << 10;
constexpr int kStartMs = 20'000;
constexpr auto kCleanUpTime = std::chrono::seconds(15);  // for the launcher to kill all processes

// The launcher's first message: the program runs, or why it does not.
Expected<process::LauncherMessage> receive_start(const process::Child& child) {
  pollfd ready{child.control.get(), POLLIN, 0};
  const auto deadline = Clock::now() + std::chrono::milliseconds(kStartMs);
  while (Clock::now() < deadline) {
    if (::poll(&ready, 1, 100) <= 0) continue;
    process::LauncherMessage note;
    switch (process::receive_message(child.control.get(), note)) {
      case process::Received::kPacket:
        if (note.kind == process::LauncherMessage::Kind::kFailed) return fail(process::error_of(note));
        return note;
      case process::Received::kNothing: continue;
      case process::Received::kHangUp:
        return fail(ErrorCode::kExecutionFailed, "The launcher ended before the program ran.");
    }
  }
  return fail(ErrorCode::kTimeout, "The launcher did not start the program in time.");
}

}  // namespace

Expected<std::unique_ptr<ServerProcess>> ServerProcess::start(ServerLaunch launch) {
  if (launch.launcher.empty())
    return fail(
        ErrorCode::kUnavailable, "This program cannot start language servers.",
        "Install helve, or let main() call launch_if_asked() first and name /proc/self/exe as the launcher.");
  process::Launch command;
  command.argv = launch.argv;
  command.environment = launch.environment;
  command.directory = launch.directory;
  command.plan.level = launch.sandboxed ? sandbox::Level::kReadOnly : sandbox::Level::kOff;
  command.plan.workspace = launch.workspace;
  command.plan.hidden = launch.hidden;
  process::ForkServer fork_server(launch.launcher);
  auto child = process::spawn(command, {.input = process::Streams::Input::kPipe}, fork_server);
  if (!child) return fail(child.error());
  const auto started = receive_start(*child);
  std::unique_ptr<ServerProcess> server(new ServerProcess(
      *std::move(child), started && started->own_pid_namespace != 0, std::move(launch.scratch)));
  if (!started) return fail(started.error());
  return server;
}

ServerProcess::ServerProcess(process::Child child, bool own_pid_namespace, ScratchDirectory scratch)
    : scratch_(std::move(scratch)),
      child_(std::move(child)),
      own_pid_namespace_(own_pid_namespace),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      listener_([this](const std::stop_token& stop) { listen(stop); }) {}

ServerProcess::~ServerProcess() {
  kill();
  // The launcher kills all descendants within milliseconds. If it hangs, it is killed, and its child with it.
  if (!wait({.deadline = Clock::now() + kCleanUpTime})) {
    ::kill(child_.launcher, SIGKILL);
    wait({.deadline = Clock::now() + kCleanUpTime});
  }
  listener_.request_stop();
  ::eventfd_write(wake_.get(), 1);
}

void ServerProcess::kill() {
  const std::lock_guard lock(mutex_);
  kill_wanted_ = true;
  ::eventfd_write(wake_.get(), 1);
}

bool ServerProcess::wait(const WaitLimit& limit) {
  std::unique_lock lock(mutex_);
  return ended_changed_.wait_until(lock, limit.stop, limit.deadline, [&] { return ended_; });
}

std::string ServerProcess::stderr_tail() const {
  const std::lock_guard lock(mutex_);
  return std::string(trim(to_valid_utf8(stderr_tail_)));
}

std::uint64_t ServerProcess::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  if (ended_) return 0;
  return process::read_usage({child_.launcher, own_pid_namespace_}).memory_bytes;
}

void ServerProcess::listen(const std::stop_token& stop) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::array<char, 4096> buffer{};
  bool ended = false;
  while (!stop.stop_requested() && !(ended && !child_.error)) {
    std::array<pollfd, 3> ready{{{child_.error ? child_.error.get() : -1, POLLIN, 0},
                                 {ended ? -1 : child_.pidfd.get(), POLLIN, 0},
                                 {wake_.get(), POLLIN, 0}}};
    // After the exit only the rest of the pipe is read; other processes that hold the pipe are not waited
    // for.
    const int got_ready = ::poll(ready.data(), ready.size(), ended ? 0 : -1);
    if (got_ready < 0 && errno != EINTR) break;
    if (ended && got_ready == 0) break;
    if (ready[0].revents != 0) {
      const ssize_t got = ::read(child_.error.get(), buffer.data(), buffer.size());
      if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) child_.error.reset();
      if (got > 0) {
        const std::lock_guard lock(mutex_);
        stderr_tail_.append(buffer.data(), static_cast<std::size_t>(got));
        if (stderr_tail_.size() > 2 * kStderrTail) stderr_tail_.erase(0, stderr_tail_.size() - kStderrTail);
      }
    }
    if (ready[2].revents != 0) {
      eventfd_t drained = 0;
      ::eventfd_read(wake_.get(), &drained);
      const std::lock_guard lock(mutex_);
      if (kill_wanted_) child_.control.reset();
    }
    if (ready[1].revents != 0) {
      while (::waitpid(child_.launcher, nullptr, 0) < 0 && errno == EINTR) {
      }
      ended = true;
    }
  }
  const std::lock_guard lock(mutex_);
  ended_ = ended;  // all of stderr has been read
  ended_changed_.notify_all();
}

}  // namespace helve::lsp
