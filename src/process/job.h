// One started command: its request, status, input and output.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "process/input_wait.h"
#include "process/launcher_protocol.h"
#include "process/output_excerpt.h"
#include "process/output_log.h"
#include "process/process_info.h"

namespace helve::process {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct JobRequest {
  std::string command = {};  // as written by the caller, for lists
  Launch launch = {};
  enum class Input {
    kNothing,  // end of file at once
    kText,     // `input_text`, then end of file
    kOpen,     // `input_text`, then the data of write()
  };
  Input input = Input::kNothing;
  std::string input_text = {};
  bool terminal = false;  // instead of pipes; the input then stays open
  std::uint16_t columns = 80;
  std::uint16_t rows = 24;
  std::optional<milliseconds> time_limit = {};
  milliseconds kill_grace = milliseconds(2000);  // between TERM and KILL
  OutputLimits output = {};
  std::shared_ptr<const void> companion = {};  // released when no process of the command is left
  // For launch.watched: takes the descriptor that receives the command's calls. Called on the reactor thread,
  // before the command's program runs; must not block.
  std::function<void(UniqueFd listener)> watch = {};
};

enum class JobState {
  kStarting,
  kRunning,
  kWaitingForInput,
  kExited,     // with exit_code
  kSignalled,  // not by kill() or a timeout; with signal
  kTimedOut,
  kKilled,  // by kill()
};
[[nodiscard]] std::string_view to_string(JobState state);  // "waiting for input"

struct JobStatus {
  JobState state = JobState::kStarting;
  std::optional<int> exit_code = {};  // if it exited
  std::optional<int> signal = {};     // that terminated it
  std::optional<InputWait> waiting = {};
  std::chrono::system_clock::time_point started = {};
  std::optional<std::chrono::system_clock::time_point> ended = {};
  milliseconds age{0};  // until now, or until its end
  // Known after the end, for the command and the processes it waited for.
  std::chrono::microseconds user_time{0};
  std::chrono::microseconds system_time{0};
  std::uint64_t most_memory_bytes = 0;
  bool out_of_memory = false;   // the kernel ended one of its processes because the memory was full
  bool left_processes = false;  // it exited, and its background processes were killed
  // False when both streams were readable at the same moment, so that the order in the log may differ from
  // the order of writing.
  bool order_known = true;
  std::vector<sandbox::Part> missing = {};  // sandbox parts that the machine did not provide
  int watch_error = 0;       // an errno: its changes are not watched, although that was asked for
  std::string trouble = {};  // a problem with supervising it; usually empty
  [[nodiscard]] bool running() const {
    return state == JobState::kStarting || state == JobState::kRunning || state == JobState::kWaitingForInput;
  }
};

// The conditions to wait for. The end of the command always ends the wait.
struct WaitCondition {
  // Called on the waiting thread with new, cleaned text: whole lines and the unfinished last line, which is
  // passed again when it has grown.
  std::function<bool(std::string_view text)> pattern = {};
  std::optional<std::uint64_t> from = {};  // offset where the pattern search starts; default: now
  std::optional<std::uint16_t> port = {};  // a process of the command listens there
  std::optional<milliseconds> quiet = {};  // no output for this long
  bool input = true;                       // it waits for input, which the waiting caller cannot give
};

enum class WaitOutcome { kEnded, kPattern, kPort, kQuiet, kInput, kTimeout, kStopped };

// New output since the last poll().
struct PollResult {
  Excerpt excerpt = {};
  std::uint64_t from = 0;  // the bytes of the log that it covers
  std::uint64_t to = 0;
};

// Shared by Jobs, the reactor and callers. All functions may be called from all threads.
class Job {
 public:
  // Wakes the reactor; set by Jobs.
  using Wake = std::function<void()>;
  Job(std::string id, JobRequest request, std::unique_ptr<OutputLog> log);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const std::string& command() const { return request_.command; }
  [[nodiscard]] const JobRequest& request() const { return request_; }
  [[nodiscard]] OutputLog& log() { return *log_; }
  [[nodiscard]] const OutputLog& log() const { return *log_; }

  [[nodiscard]] JobStatus status() const;
  // Of the living processes; empty after the end.
  [[nodiscard]] Usage usage() const;
  // The process that exits after all others of the command; -1 after that.
  [[nodiscard]] pid_t launcher() const;

  // True when the command has ended and all its output is in the log.
  bool wait_for_end(const std::stop_token& stop, Clock::time_point until);
  WaitOutcome wait(const WaitCondition& condition, const std::stop_token& stop, Clock::time_point until);

  // At most `budget` bytes of text. The cursor always moves to the end.
  [[nodiscard]] Expected<PollResult> poll(std::size_t budget);

  // Queues input without blocking. Fails when the queue is full because the command does not read.
  [[nodiscard]] Expected<void> write(std::string_view data, bool end_of_file);
  // Sends TERM to every process of the command, and KILL after the grace time. Returns at once. Does nothing
  // after the end.
  void kill(milliseconds grace);
  void kill() { kill(request_.kill_grace); }
  // Drops the output so far.
  void clear();

 private:
  friend class JobDriver;
  friend class Jobs;
  bool look_for_pattern(const WaitCondition& condition, std::uint64_t& at, std::string& unfinished) const;

  const std::string id_;
  const JobRequest request_;
  const std::unique_ptr<OutputLog> log_;
  const Clock::time_point started_at_ = Clock::now();

  mutable std::mutex mutex_;  // guards everything below
  Wake wake_;
  JobStatus status_;
  std::optional<Error> start_error_;
  ProcessTree tree_;
  Clock::time_point ended_at_;
  Clock::time_point last_output_;
  std::string input_queue_;
  bool input_ends_ = false;                   // after the queued input
  bool input_closed_ = false;                 // by either side
  std::optional<milliseconds> kill_request_;  // grace time; not yet seen by the reactor
  std::uint64_t poll_cursor_ = 0;
  std::uint64_t poll_generation_ = 0;
  std::condition_variable_any state_changed_;
  std::condition_variable_any output_changed_;
  // Held while /proc is read, so that the launcher is not reaped and its pid not reused meanwhile.
  mutable std::mutex tree_mutex_;
};

}  // namespace helve::process
