#include "process/job_driver.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/file_io.h"
#include "base/strings.h"

namespace helve::process {
namespace {

// How long to read the pipes after the last process has exited. A process outside that was handed a pipe must
// not delay the end.
constexpr auto kDrainTime = milliseconds(200);
// How long the launcher may take to kill leftover processes before it is killed itself.
constexpr auto kCleanUpTime = milliseconds(12'000);
constexpr auto kForceTime = milliseconds(5'000);

constexpr auto kInputCheckDelay = milliseconds(300);  // after the last output or input
constexpr auto kSecondInputCheck = milliseconds(150);
constexpr auto kLongestInputCheckInterval = milliseconds(2'000);

std::uint64_t memory_kills_of_machine() {
  const auto text = read_file("/proc/vmstat");
  return text ? sandbox::memory_kills_in(*text) : 0;
}

constexpr char kEndOfTransmission[] = "\x04\x04";

}  // namespace

JobDriver::JobDriver(std::shared_ptr<Job> job, Child child, std::optional<sandbox::Cgroup> cgroup,
                     std::shared_ptr<const void> companion, std::uint64_t number)
    : job_(std::move(job)),
      child_(std::move(child)),
      cgroup_(std::move(cgroup)),
      companion_(std::move(companion)),
      number_(number) {
  memory_kills_before_ = memory_kills_of_machine();
  const auto& limit = job_->request_.time_limit;
  deadline_ = limit ? job_->started_at_ + *limit : Clock::time_point::max();
}

JobDriver::~JobDriver() {
  if (exited_ || child_.launcher <= 0) return;
  child_.control.reset();
  ::waitpid(child_.launcher, nullptr, WNOHANG);
}

void JobDriver::watch_one(int fd, Source source, std::uint32_t events) const {
  if (fd < 0) return;
  epoll_event event{};
  event.events = events;
  event.data.u64 = number_ << kSourceBits | static_cast<std::uint64_t>(source);
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
}

void JobDriver::watch(int epoll) {
  epoll_ = epoll;
  watch_one(child_.control.get(), Source::kControl, EPOLLIN);
  watch_one(child_.pidfd.get(), Source::kExit, EPOLLIN);
  watch_one(child_.output.get(), Source::kOutput, EPOLLIN);
  watch_one(child_.error.get(), Source::kError, EPOLLIN);
  write_input();
  if (child_.input) schedule_input_check(kInputCheckDelay);
}

void JobDriver::handle(Source source, std::span<char> buffer) {
  switch (source) {
    case Source::kControl: read_control(); break;
    case Source::kExit: handle_exit(); break;
    case Source::kOutput: read_stream(child_.output, Stream::kOutput, buffer); break;
    case Source::kError: read_stream(child_.error, Stream::kError, buffer); break;
    case Source::kInput: write_input(); break;
  }
}

void JobDriver::read_control() {
  while (child_.control) {
    LauncherMessage message;
    UniqueFd listener;
    switch (receive_message(child_.control.get(), message, &listener)) {
      case Received::kPacket:
        if (message.kind != LauncherMessage::Kind::kWatching)
          handle_message(message);
        else if (job_->request_.watch && listener)
          job_->request_.watch(std::move(listener));
        break;
      case Received::kNothing: return;
      case Received::kHangUp:
        // The launcher's exit follows; a closed socket would only keep epoll busy.
        ::epoll_ctl(epoll_, EPOLL_CTL_DEL, child_.control.get(), nullptr);
        return;
    }
  }
}

void JobDriver::handle_message(const LauncherMessage& message) {
  if (message.kind == LauncherMessage::Kind::kEnded) {
    ended_ = message;
    give_up_at_ = Clock::now() + kCleanUpTime;
    return;
  }
  const std::lock_guard lock(job_->mutex_);
  if (message.kind == LauncherMessage::Kind::kFailed) {
    job_->start_error_ = error_of(message);
  } else {
    ready_ = true;
    job_->status_.state = JobState::kRunning;
    job_->status_.missing = parts_of(message.missing);
    job_->status_.watch_error = message.watch_error;
    job_->tree_ = {child_.launcher, message.own_pid_namespace != 0};
  }
  job_->state_changed_.notify_all();
}

void JobDriver::handle_exit() {
  if (exited_) return;
  read_control();  // the final messages
  {
    const std::lock_guard reading(job_->tree_mutex_);
    const std::lock_guard lock(job_->mutex_);
    job_->tree_ = {};
  }
  // A launcher that could not be killed must not block the reactor.
  const int options = trouble_.empty() ? 0 : WNOHANG;
  while (::waitpid(child_.launcher, nullptr, options) < 0 && errno == EINTR) {
  }
  exited_ = true;
  ::epoll_ctl(epoll_, EPOLL_CTL_DEL, child_.pidfd.get(), nullptr);
  close_input();
  give_up_at_ = Clock::now() + kDrainTime;
  next_kill_ = next_input_check_ = deadline_ = Clock::time_point::max();
}

// If the other pipe holds data now, that data may be older than what was just read from this one.
void JobDriver::check_stream_order(const UniqueFd& other) {
  int waiting = 0;
  if (!order_known_ || !other || ::ioctl(other.get(), FIONREAD, &waiting) != 0 || waiting == 0) return;
  order_known_ = false;
  const std::lock_guard lock(job_->mutex_);
  job_->status_.order_known = false;
}

void JobDriver::read_stream(UniqueFd& fd, Stream stream, std::span<char> buffer) {
  if (!fd) return;
  const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    fd.reset();  // end of file; a terminal reports EIO
    return;
  }
  job_->log_->append(stream, {buffer.data(), static_cast<std::size_t>(got)});
  check_stream_order(stream == Stream::kOutput ? child_.error : child_.output);
  if (child_.input) schedule_input_check(kInputCheckDelay);
  set_waiting({});
  const std::lock_guard lock(job_->mutex_);
  job_->last_output_ = Clock::now();
  job_->output_changed_.notify_all();
}

void JobDriver::write_input() {
  if (!child_.input) return;
  std::string queue;
  bool ends = false;
  {
    const std::lock_guard lock(job_->mutex_);
    queue.swap(job_->input_queue_);
    ends = job_->input_ends_;
  }
  std::size_t written = 0;
  bool broken = false;
  while (written < queue.size()) {
    const ssize_t count = ::write(child_.input.get(), queue.data() + written, queue.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      broken = errno != EAGAIN;
      break;
    }
    written += static_cast<std::size_t>(count);
  }
  if (written > 0) {
    schedule_input_check(kInputCheckDelay);
    within_line_ = queue[written - 1] != '\n';
  }
  if (broken) return close_input();
  queue.erase(0, written);
  const bool rest = !queue.empty();
  if (rest) {
    const std::lock_guard lock(job_->mutex_);
    job_->input_queue_.insert(0, queue);
  }
  if (rest != input_watched_) {
    if (rest)
      watch_one(child_.input.get(), Source::kInput, EPOLLOUT);
    else
      ::epoll_ctl(epoll_, EPOLL_CTL_DEL, child_.input.get(), nullptr);
    input_watched_ = rest;
  }
  if (rest || !ends) return;
  if (child_.error) return close_input();
  // A terminal stays open and gets the end-of-file character. Within a line the first one only submits the
  // line, so a second one is needed.
  const std::string_view typed(kEndOfTransmission, within_line_ ? 2 : 1);
  static_cast<void>(!::write(child_.input.get(), typed.data(), typed.size()));
  within_line_ = false;
  const std::lock_guard lock(job_->mutex_);
  job_->input_ends_ = false;
}

void JobDriver::close_input() {
  child_.input.reset();
  input_watched_ = false;
  next_input_check_ = Clock::time_point::max();
  const std::lock_guard lock(job_->mutex_);
  job_->input_closed_ = true;
  job_->input_queue_.clear();
}

void JobDriver::handle_requests() {
  std::optional<milliseconds> grace;
  {
    const std::lock_guard lock(job_->mutex_);
    grace = std::exchange(job_->kill_request_, {});
  }
  if (grace) begin_kill(JobState::kKilled, *grace);
  write_input();
}

void JobDriver::signal(int number) {
  if (child_.control) send_signal(child_.control.get(), {number});
}

void JobDriver::begin_kill(JobState cause, milliseconds grace) {
  if (exited_ || ended_) return;
  if (!cause_) cause_ = cause;
  const Clock::time_point now = Clock::now();
  if (kill_stage_ == KillStage::kNone && grace > milliseconds(0)) {
    signal(SIGTERM);
    kill_stage_ = KillStage::kTerminated;
    next_kill_ = now + grace;
  } else if (kill_stage_ == KillStage::kNone || kill_stage_ == KillStage::kTerminated) {
    kill_stage_ = KillStage::kTerminated;
    next_kill_ = std::min(next_kill_, now + grace);
    if (next_kill_ <= now) advance_kill();
  }
}

void JobDriver::advance_kill() {
  switch (kill_stage_) {
    case KillStage::kNone: next_kill_ = Clock::time_point::max(); break;
    case KillStage::kTerminated:
      if (cgroup_) cgroup_->kill_all();  // atomic, even while processes fork
      signal(SIGKILL);
      kill_stage_ = KillStage::kKilled;
      next_kill_ = Clock::now() + kForceTime;
      break;
    case KillStage::kKilled:
      // Closing the control socket kills the command even if the signal request was not handled.
      child_.control.reset();
      kill_stage_ = KillStage::kForced;
      next_kill_ = Clock::now() + kForceTime;
      break;
    case KillStage::kForced:
      ::syscall(SYS_pidfd_send_signal, child_.pidfd.get(), SIGKILL, nullptr, 0);
      next_kill_ = Clock::time_point::max();
      give_up_at_ = Clock::now() + kForceTime;
      break;
  }
}

Clock::time_point JobDriver::next_timer() const {
  return std::min({give_up_at_, deadline_, next_kill_, next_input_check_});
}

void JobDriver::on_timer() {
  const Clock::time_point now = Clock::now();
  if (now >= deadline_) {
    deadline_ = Clock::time_point::max();
    begin_kill(JobState::kTimedOut, job_->request_.kill_grace);
  }
  if (now >= next_kill_) advance_kill();
  if (now >= next_input_check_) check_input_wait();
  if (now < give_up_at_) return;
  give_up_at_ = Clock::time_point::max();
  if (exited_) {
    child_.output.reset();
    child_.error.reset();
  } else {
    trouble_ = "Some of its processes could not be killed.";
    ::syscall(SYS_pidfd_send_signal, child_.pidfd.get(), SIGKILL, nullptr, 0);
    handle_exit();
  }
}

void JobDriver::schedule_input_check(milliseconds from_now) {
  last_sample_.reset();
  input_check_interval_ = kSecondInputCheck;
  next_input_check_ = Clock::now() + from_now;
}

void JobDriver::check_input_wait() {
  if (!child_.input || !ready_ || ended_) {
    next_input_check_ = child_.input && !ended_ ? Clock::now() + kInputCheckDelay : Clock::time_point::max();
    return;
  }
  const ProcessTree tree = job_->tree_;  // only changed by this thread
  InputSample sample = sample_input(tree, child_.read_from, child_.error ? -1 : child_.output.get());
  const bool confirmed = last_sample_ && agree(*last_sample_, sample);
  set_waiting(confirmed ? sample.reader : std::nullopt);
  // Confirm a first sign soon. Check a command that is silent for other reasons less and less often.
  const bool unconfirmed = sample.reader && !confirmed;
  if (!unconfirmed) input_check_interval_ = std::min(input_check_interval_ * 2, kLongestInputCheckInterval);
  next_input_check_ = Clock::now() + (unconfirmed ? kSecondInputCheck : input_check_interval_);
  last_sample_ = std::move(sample);
}

void JobDriver::set_waiting(std::optional<InputWait> waiting) {
  const std::lock_guard lock(job_->mutex_);
  JobStatus& status = job_->status_;
  if (!status.running() || status.waiting == waiting || !ready_) return;
  status.waiting = std::move(waiting);
  status.state = status.waiting ? JobState::kWaitingForInput : JobState::kRunning;
  job_->state_changed_.notify_all();
  job_->output_changed_.notify_all();
}

bool JobDriver::was_out_of_memory() const {
  // Its own kill or time limit explains the end.
  if (cause_ || !ended_) return false;
  const int status = ended_->wait_status;
  const bool was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  // A shell reports a killed child so.
  const bool child_was_killed = WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGKILL;
  if (cgroup_ && cgroup_->memory_kills() > 0) return true;
  return (was_killed || child_was_killed) && memory_kills_of_machine() > memory_kills_before_;
}

bool JobDriver::finished() const { return exited_ && !child_.output && !child_.error; }

void JobDriver::conclude() {
  job_->log().shrink();
  const bool out_of_memory = was_out_of_memory();
  const std::lock_guard lock(job_->mutex_);
  JobStatus& status = job_->status_;
  status.waiting.reset();
  status.trouble = trouble_;
  status.ended = std::chrono::system_clock::now();
  job_->ended_at_ = Clock::now();
  status.out_of_memory = out_of_memory;
  if (ended_) {
    status.left_processes = ended_->left_processes != 0;
    if (WIFEXITED(ended_->wait_status)) status.exit_code = WEXITSTATUS(ended_->wait_status);
    if (WIFSIGNALED(ended_->wait_status)) status.signal = WTERMSIG(ended_->wait_status);
    status.user_time = std::chrono::microseconds(ended_->user_microseconds);
    status.system_time = std::chrono::microseconds(ended_->system_microseconds);
    status.most_memory_bytes = ended_->most_memory_bytes;
  } else {
    status.signal = SIGKILL;  // the launcher died without reporting the end
    if (!cause_ && ready_) status.trouble = "Its launcher was killed by another process.";
  }
  status.state = cause_ ? *cause_ : status.exit_code ? JobState::kExited : JobState::kSignalled;
  if (!ready_ && !job_->start_error_)
    job_->start_error_ =
        Error{ErrorCode::kExecutionFailed, "The launcher exited before it started the command.",
              "Run helve doctor to see what this machine supports."};
  job_->wake_ = {};
  job_->state_changed_.notify_all();
  job_->output_changed_.notify_all();
}

}  // namespace helve::process
