#include "gateway/server_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/strings.h"
#include "base/threads.h"
#include "process/launch_cgroup.h"
#include "sandbox/reserved_paths.h"

namespace helve::gateway {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr auto kStartTime = milliseconds(10'000);  // for the launcher, not the server
constexpr auto kDrainTime = milliseconds(200);     // for data left in the pipes after the end
constexpr auto kForceTime = milliseconds(5'000);

// Ends and reaps a launcher after a failed start.
void abandon(process::Child& child) {
  child.control.reset();
  while (::waitpid(child.launcher, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Expected<void> wait_until_it_runs(process::Child& child) {
  const auto until = SteadyClock::now() + kStartTime;
  for (;;) {
    process::LauncherMessage note;
    switch (process::receive_message(child.control.get(), note)) {
      case process::Received::kPacket:
        if (note.kind == process::LauncherMessage::Kind::kFailed) return fail(process::error_of(note));
        return {};
      case process::Received::kHangUp:
        return fail(ErrorCode::kExecutionFailed, "The launcher ended before it started the server.");
      case process::Received::kNothing: break;
    }
    const auto left = std::chrono::duration_cast<milliseconds>(until - SteadyClock::now()).count();
    if (left <= 0) return fail(ErrorCode::kTimeout, "The launcher did not start the server in time.");
    pollfd control{.fd = child.control.get(), .events = POLLIN, .revents = 0};
    ::poll(&control, 1, static_cast<int>(left));
  }
}

}  // namespace

Expected<std::unique_ptr<ServerProcess>> ServerProcess::start(ProcessStart start, Events events) {
  process::Streams streams;
  streams.input = process::Streams::Input::kPipe;
  std::optional<sandbox::Cgroup> cgroup = process::make_cgroup(start.launch);
  process::ForkServer fork_server(start.launcher);
  auto child = process::spawn(start.launch, streams, fork_server);
  if (!child) return fail(child.error());
  if (auto runs = wait_until_it_runs(*child); !runs) {
    abandon(*child);
    return fail(runs.error());
  }
  UniqueFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) {
    const int error = errno;
    abandon(*child);
    return fail(system_error("Cannot watch the server", error));
  }
  std::unique_ptr<ServerProcess> made(
      new ServerProcess(std::move(start), std::move(events), *std::move(child)));
  made->wake_ = std::move(wake);
  if (cgroup) made->cgroup_.emplace(*std::move(cgroup));
  // Block all signals in this thread, because writing to an ended server raises SIGPIPE.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool is_running = try_start_thread(made->thread_, [process = made.get()] { process->run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!is_running) {
    abandon(made->child_);
    return fail(no_thread_error("so the server cannot be started"));
  }
  return made;
}

ServerProcess::ServerProcess(ProcessStart start, Events events, process::Child child)
    : start_(std::move(start)),
      events_(std::move(events)),
      child_(std::move(child)),
      lines_(start_.longest_line),
      error_lines_(start_.longest_error_line),
      buffer_(kReadBytes, '\0') {}

ServerProcess::~ServerProcess() { end(); }

void ServerProcess::wake() const {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_.get(), &one, sizeof one));
}

Expected<void> ServerProcess::write(std::string_view bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (gone_) return fail(*gone_);
    if (wants_end_) return fail(ErrorCode::kUnavailable, "The server has ended.");
    if (unread_ + bytes.size() > start_.most_unread)
      return fail(ErrorCode::kUnavailable, "The server does not read what is sent to it.");
    unread_ += bytes.size();
    outgoing_ += bytes;
  }
  wake();
  return {};
}

void ServerProcess::end() {
  {
    const std::lock_guard lock(mutex_);
    wants_end_ = true;
  }
  wake();
  const std::lock_guard lock(join_mutex_);
  if (thread_.joinable()) thread_.join();
}

void ServerProcess::run() {
  while (!exited_ || child_.output || child_.error) {
    std::array<pollfd, 6> watched = {{
        {.fd = wake_.get(), .events = POLLIN, .revents = 0},
        {.fd = child_.control.get(), .events = POLLIN, .revents = 0},
        {.fd = exited_ ? -1 : child_.pidfd.get(), .events = POLLIN, .revents = 0},
        {.fd = child_.output.get(), .events = POLLIN, .revents = 0},
        {.fd = child_.error.get(), .events = POLLIN, .revents = 0},
        {.fd = unsent_.empty() ? -1 : child_.input.get(), .events = POLLOUT, .revents = 0},
    }};
    if (::poll(watched.data(), watched.size(), milliseconds_to_timer()) < 0 && errno != EINTR) break;
    std::uint64_t rings = 0;
    static_cast<void>(!::read(wake_.get(), &rings, sizeof rings));
    feed_input();
    if (watched[1].revents != 0) read_control();
    if (watched[3].revents != 0) read_output();
    if (watched[4].revents != 0) read_errors();
    if (watched[2].revents != 0) handle_exit();
    if (SteadyClock::now() < timer_) continue;
    if (!exited_) {
      advance(static_cast<Stage>(static_cast<int>(stage_) + 1));
      continue;
    }
    child_.output.reset();  // another process holds them open
    child_.error.reset();
  }
  // Removes placeholders that a killed launcher left in the workspace.
  if (start_.launch.plan.level == sandbox::Level::kWorkspaceWrite) {
    [[maybe_unused]] const auto abandoned = sandbox::ReservedPaths::find_abandoned(start_.launch.plan);
  }
  report_end(end_error());
}

int ServerProcess::milliseconds_to_timer() const {
  if (timer_ == SteadyClock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<milliseconds>(timer_ - SteadyClock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

void ServerProcess::feed_input() {
  bool ends = false;
  {
    const std::lock_guard lock(mutex_);
    unsent_ += outgoing_;
    outgoing_.clear();
    ends = wants_end_;
  }
  if (ends && stage_ == Stage::kRuns) advance(Stage::kInputClosed);
  if (!child_.input) return;
  std::size_t written = 0;
  bool broken = false;
  while (written < unsent_.size()) {
    const ssize_t count = ::write(child_.input.get(), unsent_.data() + written, unsent_.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) broken = errno != EAGAIN;
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  if (broken) written = unsent_.size();  // the server will not read it
  unsent_.erase(0, written);
  {
    const std::lock_guard lock(mutex_);
    unread_ = unsent_.size() + outgoing_.size();
  }
  if (broken || (ends && unsent_.empty())) child_.input.reset();
}

void ServerProcess::read_output() {
  const ssize_t got = ::read(child_.output.get(), buffer_.data(), buffer_.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0)
    return lines_.feed({buffer_.data(), static_cast<std::size_t>(got)}, events_.on_line,
                       events_.on_long_line);
  child_.output.reset();
  // Without output the server is useless. If it has ended, its exit status follows.
  if (stage_ == Stage::kRuns) advance(Stage::kInputClosed);
}

void ServerProcess::read_errors() {
  const ssize_t got = ::read(child_.error.get(), buffer_.data(), buffer_.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got > 0)
    return error_lines_.feed({buffer_.data(), static_cast<std::size_t>(got)}, events_.on_error_line, [] {});
  child_.error.reset();
}

void ServerProcess::read_control() {
  for (;;) {
    process::LauncherMessage note;
    switch (process::receive_message(child_.control.get(), note)) {
      case process::Received::kPacket:
        if (note.kind == process::LauncherMessage::Kind::kEnded) ended_ = note;
        break;
      case process::Received::kNothing: return;
      case process::Received::kHangUp:
        child_.control.reset();  // its exit follows
        if (timer_ == SteadyClock::time_point::max()) timer_ = SteadyClock::now() + kForceTime;
        if (stage_ < Stage::kKilled) stage_ = Stage::kKilled;
        return;
    }
  }
}

void ServerProcess::handle_exit() {
  if (child_.control) read_control();  // its final note
  while (::waitpid(child_.launcher, nullptr, 0) < 0 && errno == EINTR) {
  }
  exited_ = true;
  child_.input.reset();
  timer_ = SteadyClock::now() + kDrainTime;
}

void ServerProcess::advance(Stage stage) {
  if (exited_) return;
  stage_ = stage;
  const SteadyClock::time_point now = SteadyClock::now();
  switch (stage) {
    case Stage::kRuns: break;
    case Stage::kInputClosed:
      if (unsent_.empty()) child_.input.reset();
      timer_ = now + start_.grace;
      break;
    case Stage::kTerminated:
      child_.input.reset();
      if (child_.control) process::send_signal(child_.control.get(), {SIGTERM});
      timer_ = now + start_.grace;
      break;
    case Stage::kKilled:
      child_.control.reset();  // ends the server and its children
      timer_ = now + kForceTime;
      break;
    case Stage::kForced:
      ::syscall(SYS_pidfd_send_signal, child_.pidfd.get(), SIGKILL, nullptr, 0);
      timer_ = SteadyClock::time_point::max();
      break;
  }
}

void ServerProcess::report_end(const Error& why) {
  {
    const std::lock_guard lock(mutex_);
    if (!gone_) gone_ = why;
  }
  if (std::exchange(end_reported_, true)) return;
  events_.on_end(why);
}

Error ServerProcess::end_error() const {
  Error error{ErrorCode::kUnavailable, "The server has ended."};
  if (!ended_) return error;
  if (WIFEXITED(ended_->wait_status))
    error.message = concat("The server ended with exit code ", WEXITSTATUS(ended_->wait_status), ".");
  if (WIFSIGNALED(ended_->wait_status))
    error.message = concat("The server was killed by signal ", WTERMSIG(ended_->wait_status), ".");
  return error;
}

}  // namespace helve::gateway
