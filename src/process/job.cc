#include "process/job.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "process/output_text.h"

namespace helve::process {
namespace {

constexpr std::size_t kMostQueuedInput = std::size_t{1} << 20;
constexpr std::size_t kPatternStep = std::size_t{256} << 10;
constexpr std::size_t kLongestUnfinished = std::size_t{64} << 10;
constexpr auto kPortInterval = milliseconds(100);

// The end of the text that can be shown now, without an incomplete last character.
std::uint64_t end_of_whole_characters(const OutputLog& log, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t start = std::max(from, to - std::min<std::uint64_t>(to, 3));
  auto part = log.read(start, static_cast<std::size_t>(to - start));
  if (!part || part->offset != start) return to;
  const std::string& bytes = part->bytes;
  for (std::size_t back = 1; back <= bytes.size(); ++back) {
    const std::string_view last = std::string_view(bytes).substr(bytes.size() - back);
    const auto first = static_cast<unsigned char>(last[0]);
    if (first < 0x80) return to;
    if (first < 0xC0) continue;
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    const bool unfinished = length > last.size() && malformed_utf8_length(last) == last.size();
    return unfinished ? to - last.size() : to;
  }
  return to;
}

}  // namespace

std::string_view to_string(JobState state) {
  switch (state) {
    case JobState::kStarting: return "starting";
    case JobState::kRunning: return "running";
    case JobState::kWaitingForInput: return "waiting for input";
    case JobState::kExited: return "exited";
    case JobState::kSignalled: return "signalled";
    case JobState::kTimedOut: return "timed out";
    case JobState::kKilled: return "killed";
  }
  return "running";
}

Job::Job(std::string id, JobRequest request, std::unique_ptr<OutputLog> log)
    : id_(std::move(id)), request_(std::move(request)), log_(std::move(log)), last_output_(started_at_) {
  status_.started = std::chrono::system_clock::now();
  input_queue_ = request_.input_text;
  input_ends_ = request_.input == JobRequest::Input::kText;
  input_closed_ = request_.input == JobRequest::Input::kNothing && !request_.terminal;
}

JobStatus Job::status() const {
  const std::lock_guard lock(mutex_);
  JobStatus status = status_;
  const Clock::time_point end = status.running() ? Clock::now() : ended_at_;
  status.age = std::chrono::duration_cast<milliseconds>(end - started_at_);
  return status;
}

pid_t Job::launcher() const {
  const std::lock_guard lock(mutex_);
  return tree_.launcher;
}

Usage Job::usage() const {
  const std::lock_guard reading(tree_mutex_);
  ProcessTree tree;
  {
    const std::lock_guard lock(mutex_);
    tree = tree_;
  }
  return tree.launcher > 0 ? read_usage(tree) : Usage{};
}

bool Job::wait_for_end(const std::stop_token& stop, Clock::time_point until) {
  std::unique_lock lock(mutex_);
  return state_changed_.wait_until(lock, stop, until, [&] { return !status_.running(); });
}

// Passes output since `at` to the pattern. `unfinished` is the last line so far, passed again when it has
// grown.
bool Job::look_for_pattern(const WaitCondition& condition, std::uint64_t& at, std::string& unfinished) const {
  for (;;) {
    auto part = log_->read(at, kPatternStep);
    if (!part || part->bytes.empty()) return false;
    at = part->offset + part->bytes.size();
    std::string bytes = std::move(unfinished) + part->bytes;
    const std::size_t last_line = bytes.rfind('\n') + 1;  // 0 when there is no line break
    unfinished = bytes.substr(last_line);
    if (unfinished.size() > kLongestUnfinished) unfinished.erase(0, unfinished.size() - kLongestUnfinished);
    if (condition.pattern(clean_text(bytes))) return true;
  }
}

WaitOutcome Job::wait(const WaitCondition& condition, const std::stop_token& stop, Clock::time_point until) {
  std::uint64_t at = condition.from.value_or(log_->size());
  std::uint64_t generation = log_->generation();
  std::string unfinished;
  for (;;) {
    bool running = true;
    {
      const std::lock_guard lock(mutex_);
      running = status_.running();
    }
    if (log_->generation() != generation) {
      generation = log_->generation();
      at = 0;
      unfinished.clear();
    }
    // After reading `running`: if the command has ended, all its output is in the log.
    if (condition.pattern && look_for_pattern(condition, at, unfinished)) return WaitOutcome::kPattern;
    if (!running) return WaitOutcome::kEnded;
    if (condition.port) {
      const Usage now = usage();
      if (std::ranges::binary_search(now.listening_ports, *condition.port)) return WaitOutcome::kPort;
    }

    std::unique_lock lock(mutex_);
    if (stop.stop_requested()) return WaitOutcome::kStopped;
    const Clock::time_point now = Clock::now();
    const Clock::time_point quiet_at =
        condition.quiet ? last_output_ + *condition.quiet : Clock::time_point::max();
    if (now >= quiet_at && status_.running()) return WaitOutcome::kQuiet;
    if (condition.input && status_.state == JobState::kWaitingForInput) return WaitOutcome::kInput;
    if (now >= until) return WaitOutcome::kTimeout;
    Clock::time_point wake_at = std::min(until, quiet_at);
    if (condition.port) wake_at = std::min(wake_at, now + kPortInterval);
    const Clock::time_point seen = last_output_;
    output_changed_.wait_until(lock, stop, wake_at, [&] {
      return !status_.running() || (condition.input && status_.state == JobState::kWaitingForInput) ||
             ((condition.pattern || condition.quiet) && last_output_ != seen) ||
             (condition.pattern && log_->size() != at);
    });
  }
}

Expected<PollResult> Job::poll(std::size_t budget) {
  PollResult result;
  bool running = true;
  {
    const std::lock_guard lock(mutex_);
    running = status_.running();
    if (const std::uint64_t generation = log_->generation(); generation != poll_generation_) {
      poll_generation_ = generation;
      poll_cursor_ = 0;
    }
    result.from = poll_cursor_;
    result.to = log_->size();
    if (running) result.to = end_of_whole_characters(*log_, result.from, result.to);
    poll_cursor_ = result.to;
  }
  auto excerpt = head_and_tail(*log_, budget, result.from, result.to);
  if (!excerpt) return fail(excerpt.error());
  result.excerpt = std::move(*excerpt);
  return result;
}

Expected<void> Job::write(std::string_view data, bool end_of_file) {
  const std::lock_guard lock(mutex_);
  if (!status_.running())
    return fail(ErrorCode::kConflict, concat("The command ", id_, " has ended and cannot read input."),
                "Use process log to see what it wrote.");
  if (input_closed_ || input_ends_)
    return fail(
        ErrorCode::kConflict, concat("The input of ", id_, " is closed."),
        "Start the command again with its whole input as stdin, or in the background to write to it later.");
  if (input_queue_.size() + data.size() > kMostQueuedInput)
    return fail(ErrorCode::kConflict,
                concat("The command ", id_, " does not read its input: ", with_thousands(input_queue_.size()),
                       " bytes are queued, and ", with_thousands(data.size()), " more do not fit."),
                "Wait until it reads, or write less at once; at most 1,048,576 bytes can be queued.");
  input_queue_ += data;
  input_ends_ = end_of_file;
  if (status_.state == JobState::kWaitingForInput) status_.state = JobState::kRunning;
  status_.waiting.reset();
  if (wake_) wake_();
  return {};
}

void Job::kill(milliseconds grace) {
  const std::lock_guard lock(mutex_);
  if (!status_.running()) return;
  kill_request_ = kill_request_ ? std::min(*kill_request_, grace) : grace;
  if (wake_) wake_();  // under the lock, so that the reactor still exists
}

void Job::clear() {
  log_->clear();
  const std::lock_guard lock(mutex_);
  poll_cursor_ = 0;
  poll_generation_ = log_->generation();
}

}  // namespace helve::process
