// One command that was started, as everybody but the reactor sees it: what it is, how it does, what it wrote.
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
#include "process/launch_plan.h"
#include "process/output_excerpt.h"
#include "process/output_log.h"
#include "process/process_info.h"

namespace helve::process {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct SessionRequest {
  std::string command = {};  // as somebody wrote it, for lists
  Launch launch = {};
  enum class Input {
    kNothing,  // end of file at once
    kText,     // `input_text`, then end of file
    kOpen,     // `input_text`, then what write() brings
  };
  Input input = Input::kNothing;
  std::string input_text = {};
  bool terminal = false;  // instead of pipes; the input is then always open
  std::uint16_t columns = 80;
  std::uint16_t rows = 24;
  std::optional<milliseconds> time_limit = {};
  milliseconds kill_grace = milliseconds(2000);  // between TERM and KILL
  OutputLimits output = {};
  std::shared_ptr<const void> companion = {};  // let go when nothing of the command is left
};

enum class SessionState {
  kStarting,
  kRunning,
  kWaitingForInput,
  kExited,     // with exit_code
  kSignalled,  // by itself or by others, with signal
  kTimedOut,
  kKilled,  // by kill()
};
[[nodiscard]] std::string_view to_string(SessionState state);  // "waiting for input"

struct SessionStatus {
  SessionState state = SessionState::kStarting;
  std::optional<int> exit_code = {};  // of a command that ended by itself
  std::optional<int> signal = {};     // that ended it
  std::optional<InputWait> waiting = {};
  std::chrono::system_clock::time_point started = {};
  std::optional<std::chrono::system_clock::time_point> ended = {};
  milliseconds age{0};  // until now, or until its end
  // From the kernel, for the command and what it waited for; after its end.
  std::chrono::microseconds user_time{0};
  std::chrono::microseconds system_time{0};
  std::uint64_t most_memory_bytes = 0;
  bool left_processes = false;  // it ended by itself, and what it had left in the background was ended
  // False when both streams had something to be read at the same moment: then nobody knows which of that was
  // written first, and it stands in the log as it was read.
  bool order_known = true;
  std::vector<sandbox::Part> missing = {};  // what the sandbox did without
  std::string trouble = {};                 // what went wrong with watching it; empty as a rule
  [[nodiscard]] bool running() const {
    return state == SessionState::kStarting || state == SessionState::kRunning ||
           state == SessionState::kWaitingForInput;
  }
};

// What to wait for; the end of the command always ends the wait too.
struct WaitCondition {
  // Gets cleaned text that is new since the wait began, whole lines and the unfinished last one, which comes
  // again when it has grown. Called on the waiting thread.
  std::function<bool(std::string_view text)> pattern = {};
  std::optional<std::uint64_t> from =
      {};  // where in the log the pattern is looked for; otherwise: from now on
  std::optional<std::uint16_t> port = {};  // somebody of the command listens there
  std::optional<milliseconds> quiet = {};  // no output for this long
  bool input = true;  // it waits for input, which nobody would give while everybody waits
};

enum class WaitOutcome { kEnded, kPattern, kPort, kQuiet, kInput, kTimeout, kStopped };

// New output since the last poll.
struct PollResult {
  Excerpt excerpt = {};
  std::uint64_t from = 0;  // the bytes of the log that it covers
  std::uint64_t to = 0;
};

// Shared by whoever holds on to it and by Sessions. All functions may be called from all threads.
class Session {
 public:
  // Wakes the reactor for orders; made by Sessions.
  using Wake = std::function<void()>;
  Session(std::string id, SessionRequest request, std::unique_ptr<OutputLog> log);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const std::string& command() const { return request_.command; }
  [[nodiscard]] const SessionRequest& request() const { return request_; }
  [[nodiscard]] OutputLog& log() { return *log_; }
  [[nodiscard]] const OutputLog& log() const { return *log_; }

  [[nodiscard]] SessionStatus status() const;
  // Of the processes that live now; nothing after the end.
  [[nodiscard]] Usage usage() const;
  // The process that goes when nothing of the command is left; -1 after that.
  [[nodiscard]] pid_t launcher() const;

  // True when the command has ended, and everything it wrote is in the log.
  bool wait_for_end(const std::stop_token& stop, Clock::time_point until);
  WaitOutcome wait(const WaitCondition& condition, const std::stop_token& stop, Clock::time_point until);

  // At most `budget` bytes of text; the cursor moves to the end in any case.
  [[nodiscard]] Expected<PollResult> poll(std::size_t budget);

  // Queues input. Never waits: when the command does not read, the queue is full at some point, and that is
  // an error.
  [[nodiscard]] Expected<void> write(std::string_view data, bool end_of_file);
  // TERM to every process of the command, KILL after the grace time. Returns at once; nothing for one that
  // has ended.
  void kill(milliseconds grace);
  void kill() { kill(request_.kill_grace); }
  // Forgets the output so far.
  void clear();

 private:
  friend class SessionDriver;
  friend class Sessions;
  bool look_for_pattern(const WaitCondition& condition, std::uint64_t& at, std::string& unfinished) const;

  const std::string id_;
  const SessionRequest request_;
  const std::unique_ptr<OutputLog> log_;
  const Clock::time_point started_at_ = Clock::now();

  mutable std::mutex mutex_;  // guards all below
  Wake wake_;
  SessionStatus status_;
  std::optional<Error> start_error_;
  bool gone_ = false;  // no reactor cares any more
  ProcessTree tree_;
  Clock::time_point ended_at_;
  Clock::time_point last_output_;
  std::string input_queue_;
  bool input_ends_ = false;                 // after the queue
  bool input_closed_ = false;               // by either side
  std::optional<milliseconds> kill_order_;  // not yet seen by the reactor; the grace time
  std::uint64_t poll_cursor_ = 0;
  std::uint64_t poll_generation_ = 0;
  std::condition_variable_any state_changed_;
  std::condition_variable_any output_came_;
  mutable std::mutex
      tree_mutex_;  // held while /proc is read, so that the launcher's pid stays its own meanwhile
};

}  // namespace helve::process
