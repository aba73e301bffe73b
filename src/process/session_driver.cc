#include "process/session_driver.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/strings.h"

namespace helve::process {
namespace {

// After the last process is gone, only what is in the pipes is still to come; somebody outside who was handed
// a pipe does not hold anybody up.
constexpr auto kDrainTime = milliseconds(200);
// How long the launcher may take to end what the command left behind, before it is ended itself.
constexpr auto kCleanUpTime = milliseconds(12'000);
constexpr auto kForceTime = milliseconds(5'000);

constexpr auto kSilence = milliseconds(300);  // before anybody asks whether it waits for input
constexpr auto kSecondLook = milliseconds(150);
constexpr auto kLongestLookInterval = milliseconds(2'000);

constexpr char kEndOfTransmission[] = "\x04\x04";

}  // namespace

SessionDriver::SessionDriver(std::shared_ptr<Session> session, Child child,
                             std::optional<sandbox::Cgroup> cgroup, std::shared_ptr<const void> companion,
                             std::uint64_t number)
    : session_(std::move(session)),
      child_(std::move(child)),
      cgroup_(std::move(cgroup)),
      companion_(std::move(companion)),
      number_(number) {
  const auto& limit = session_->request_.time_limit;
  deadline_ = limit ? session_->started_at_ + *limit : Clock::time_point::max();
}

SessionDriver::~SessionDriver() {
  if (exited_ || child_.launcher <= 0) return;
  child_.control.reset();
  ::waitpid(child_.launcher, nullptr, WNOHANG);
}

void SessionDriver::watch_one(int fd, Source source, std::uint32_t events) const {
  if (fd < 0) return;
  epoll_event event{};
  event.events = events;
  event.data.u64 = number_ << kSourceBits | static_cast<std::uint64_t>(source);
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
}

void SessionDriver::watch(int epoll) {
  epoll_ = epoll;
  watch_one(child_.control.get(), Source::kControl, EPOLLIN);
  watch_one(child_.pidfd.get(), Source::kExit, EPOLLIN);
  watch_one(child_.output.get(), Source::kOutput, EPOLLIN);
  watch_one(child_.error.get(), Source::kError, EPOLLIN);
  feed_input();
  if (child_.input) schedule_look(kSilence);
}

void SessionDriver::handle(Source source, std::span<char> buffer) {
  switch (source) {
    case Source::kControl: hear_control(); break;
    case Source::kExit: note_exit(); break;
    case Source::kOutput: read_stream(child_.output, Stream::kOutput, buffer); break;
    case Source::kError: read_stream(child_.error, Stream::kError, buffer); break;
    case Source::kInput: feed_input(); break;
  }
}

void SessionDriver::hear_control() {
  while (child_.control) {
    Note note;
    switch (receive_note(child_.control.get(), note)) {
      case Received::kPacket: take_note(note); break;
      case Received::kNothing: return;
      case Received::kHangUp:
        // Only the launcher's end tells more; watching a closed socket would not.
        ::epoll_ctl(epoll_, EPOLL_CTL_DEL, child_.control.get(), nullptr);
        return;
    }
  }
}

void SessionDriver::take_note(const Note& note) {
  if (note.kind == Note::Kind::kEnded) {
    ended_ = note;
    give_up_at_ = Clock::now() + kCleanUpTime;
    return;
  }
  const std::lock_guard lock(session_->mutex_);
  if (note.kind == Note::Kind::kFailed) {
    session_->start_error_ = error_of(note);
  } else {
    ready_ = true;
    session_->status_.state = SessionState::kRunning;
    session_->status_.missing = parts_of(note.missing);
    session_->tree_ = {child_.launcher, note.own_pid_namespace != 0};
  }
  session_->state_changed_.notify_all();
}

void SessionDriver::note_exit() {
  if (exited_) return;
  hear_control();  // its last words
  {
    const std::lock_guard reading(session_->tree_mutex_);
    const std::lock_guard lock(session_->mutex_);
    session_->tree_ = {};
  }
  // One that could not be ended must not hold up everybody else.
  const int options = trouble_.empty() ? 0 : WNOHANG;
  while (::waitpid(child_.launcher, nullptr, options) < 0 && errno == EINTR) {
  }
  exited_ = true;
  ::epoll_ctl(epoll_, EPOLL_CTL_DEL, child_.pidfd.get(), nullptr);
  close_input();
  give_up_at_ = Clock::now() + kDrainTime;
  next_kill_ = next_look_ = deadline_ = Clock::time_point::max();
}

// What waits in the other pipe may be older than what was just read from this one. Where nothing waits, it is
// newer.
void SessionDriver::note_order(const UniqueFd& other) {
  int waiting = 0;
  if (!order_known_ || !other || ::ioctl(other.get(), FIONREAD, &waiting) != 0 || waiting == 0) return;
  order_known_ = false;
  const std::lock_guard lock(session_->mutex_);
  session_->status_.order_known = false;
}

void SessionDriver::read_stream(UniqueFd& fd, Stream stream, std::span<char> buffer) {
  if (!fd) return;
  const ssize_t got = ::read(fd.get(), buffer.data(), buffer.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    fd.reset();  // end of file; a terminal says EIO
    return;
  }
  session_->log_->append(stream, {buffer.data(), static_cast<std::size_t>(got)});
  note_order(stream == Stream::kOutput ? child_.error : child_.output);
  if (child_.input) schedule_look(kSilence);
  set_waiting({});
  const std::lock_guard lock(session_->mutex_);
  session_->last_output_ = Clock::now();
  session_->output_came_.notify_all();
}

void SessionDriver::feed_input() {
  if (!child_.input) return;
  std::string queue;
  bool ends = false;
  {
    const std::lock_guard lock(session_->mutex_);
    queue.swap(session_->input_queue_);
    ends = session_->input_ends_;
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
    schedule_look(kSilence);
    within_line_ = queue[written - 1] != '\n';
  }
  if (broken) return close_input();
  queue.erase(0, written);
  const bool rest = !queue.empty();
  if (rest) {
    const std::lock_guard lock(session_->mutex_);
    session_->input_queue_.insert(0, queue);
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
  // A terminal stays; the character that ends a file is typed into it. Within a line it only hands over what
  // is there, so it is typed again.
  const std::string_view typed(kEndOfTransmission, within_line_ ? 2 : 1);
  static_cast<void>(!::write(child_.input.get(), typed.data(), typed.size()));
  within_line_ = false;
  const std::lock_guard lock(session_->mutex_);
  session_->input_ends_ = false;
}

void SessionDriver::close_input() {
  child_.input.reset();
  input_watched_ = false;
  next_look_ = Clock::time_point::max();
  const std::lock_guard lock(session_->mutex_);
  session_->input_closed_ = true;
  session_->input_queue_.clear();
}

void SessionDriver::attend() {
  std::optional<milliseconds> grace;
  {
    const std::lock_guard lock(session_->mutex_);
    grace = std::exchange(session_->kill_order_, {});
  }
  if (grace) begin_kill(SessionState::kKilled, *grace);
  feed_input();
}

void SessionDriver::order(int signal_number) {
  if (child_.control) send_order(child_.control.get(), {signal_number});
}

void SessionDriver::begin_kill(SessionState cause, milliseconds grace) {
  if (exited_ || ended_) return;
  if (!cause_) cause_ = cause;
  const Clock::time_point now = Clock::now();
  if (kill_stage_ == KillStage::kNone && grace > milliseconds(0)) {
    order(SIGTERM);
    kill_stage_ = KillStage::kTerminated;
    next_kill_ = now + grace;
  } else if (kill_stage_ == KillStage::kNone || kill_stage_ == KillStage::kTerminated) {
    kill_stage_ = KillStage::kTerminated;
    next_kill_ = std::min(next_kill_, now + grace);
    if (next_kill_ <= now) advance_kill();
  }
}

void SessionDriver::advance_kill() {
  switch (kill_stage_) {
    case KillStage::kNone: next_kill_ = Clock::time_point::max(); break;
    case KillStage::kTerminated:
      if (cgroup_) cgroup_->kill_all();  // at once, whoever forks meanwhile
      order(SIGKILL);
      kill_stage_ = KillStage::kKilled;
      next_kill_ = Clock::now() + kForceTime;
      break;
    case KillStage::kKilled:
      // Closing the control socket ends the command too, whatever became of the order.
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

Clock::time_point SessionDriver::next_timer() const {
  return std::min({give_up_at_, deadline_, next_kill_, next_look_});
}

void SessionDriver::on_timer() {
  const Clock::time_point now = Clock::now();
  if (now >= deadline_) {
    deadline_ = Clock::time_point::max();
    begin_kill(SessionState::kTimedOut, session_->request_.kill_grace);
  }
  if (now >= next_kill_) advance_kill();
  if (now >= next_look_) look_for_input_wait();
  if (now < give_up_at_) return;
  give_up_at_ = Clock::time_point::max();
  if (exited_) {
    child_.output.reset();
    child_.error.reset();
  } else {
    trouble_ = "Some of its processes could not be ended.";
    ::syscall(SYS_pidfd_send_signal, child_.pidfd.get(), SIGKILL, nullptr, 0);
    note_exit();
  }
}

void SessionDriver::schedule_look(milliseconds from_now) {
  last_sample_.reset();
  look_interval_ = kSecondLook;
  next_look_ = Clock::now() + from_now;
}

void SessionDriver::look_for_input_wait() {
  if (!child_.input || !ready_ || ended_) {
    next_look_ = child_.input && !ended_ ? Clock::now() + kSilence : Clock::time_point::max();
    return;
  }
  const ProcessTree tree = session_->tree_;  // only this thread changes it
  InputSample sample = sample_input(tree, child_.read_from, child_.error ? -1 : child_.output.get());
  const bool sure = last_sample_ && agree(*last_sample_, sample);
  set_waiting(sure ? sample.reader : std::nullopt);
  // A first hint is followed up soon; a command that is silent for other reasons is asked ever more seldom.
  const bool hint = sample.reader && !sure;
  if (!hint) look_interval_ = std::min(look_interval_ * 2, kLongestLookInterval);
  next_look_ = Clock::now() + (hint ? kSecondLook : look_interval_);
  last_sample_ = std::move(sample);
}

void SessionDriver::set_waiting(std::optional<InputWait> waiting) {
  const std::lock_guard lock(session_->mutex_);
  SessionStatus& status = session_->status_;
  if (!status.running() || status.waiting == waiting || !ready_) return;
  status.waiting = std::move(waiting);
  status.state = status.waiting ? SessionState::kWaitingForInput : SessionState::kRunning;
  session_->state_changed_.notify_all();
  session_->output_came_.notify_all();
}

bool SessionDriver::finished() const { return exited_ && !child_.output && !child_.error; }

void SessionDriver::conclude() {
  session_->log().rest();
  const std::lock_guard lock(session_->mutex_);
  SessionStatus& status = session_->status_;
  status.waiting.reset();
  status.trouble = trouble_;
  status.ended = std::chrono::system_clock::now();
  session_->ended_at_ = Clock::now();
  if (ended_) {
    status.left_processes = ended_->left_processes != 0;
    if (WIFEXITED(ended_->wait_status)) status.exit_code = WEXITSTATUS(ended_->wait_status);
    if (WIFSIGNALED(ended_->wait_status)) status.signal = WTERMSIG(ended_->wait_status);
    status.user_time = std::chrono::microseconds(ended_->user_microseconds);
    status.system_time = std::chrono::microseconds(ended_->system_microseconds);
    status.most_memory_bytes = ended_->most_memory_bytes;
  } else {
    status.signal = SIGKILL;  // nobody lived to tell
    if (!cause_ && ready_) status.trouble = "Its launcher was killed by somebody else.";
  }
  status.state = cause_ ? *cause_ : status.exit_code ? SessionState::kExited : SessionState::kSignalled;
  if (!ready_ && !session_->start_error_)
    session_->start_error_ =
        Error{ErrorCode::kExecutionFailed, "The command's launcher ended before it began.",
              "Run helve doctor to see what this machine offers."};
  session_->gone_ = true;
  session_->wake_ = {};
  session_->state_changed_.notify_all();
  session_->output_came_.notify_all();
}

}  // namespace helve::process
