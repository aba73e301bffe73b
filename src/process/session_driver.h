// What the reactor does for one running command: moves its bytes, hears its launcher, minds its clocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "process/launch_notes.h"
#include "process/session.h"
#include "process/spawn.h"
#include "sandbox/cgroup.h"

namespace helve::process {

// Made by any thread, from then on used by the reactor's thread alone.
class SessionDriver {
 public:
  // Which descriptor an event is about; the low bits of an epoll token.
  enum class Source : std::uint64_t { kControl, kExit, kOutput, kError, kInput };
  static constexpr unsigned kSourceBits = 3;

  // The cgroup, if there is one, and the companion go when nothing of the command is left.
  SessionDriver(std::shared_ptr<Session> session, Child child, std::optional<sandbox::Cgroup> cgroup,
                std::shared_ptr<const void> companion, std::uint64_t number);
  ~SessionDriver();
  SessionDriver(const SessionDriver&) = delete;
  SessionDriver& operator=(const SessionDriver&) = delete;

  void watch(int epoll);  // begins to get events
  void handle(Source source, std::span<char> buffer);
  void attend();  // looks for orders of other threads
  // When on_timer has to be called at the latest.
  [[nodiscard]] Clock::time_point next_timer() const;
  void on_timer();

  // Nothing of the command is left, and all its output is in the log.
  [[nodiscard]] bool finished() const;
  // Makes the end known to whoever waits.
  void conclude();
  [[nodiscard]] const std::shared_ptr<Session>& session() const { return session_; }
  [[nodiscard]] bool was_started() const { return ready_; }

 private:
  enum class KillStage { kNone, kTerminated, kKilled, kForced };

  void watch_one(int fd, Source source, std::uint32_t events) const;
  void hear_control();
  void take_note(const Note& note);
  void note_exit();
  void read_stream(UniqueFd& fd, Stream stream, std::span<char> buffer);
  void note_order(const UniqueFd& other);
  void feed_input();
  void close_input();
  void begin_kill(SessionState cause, milliseconds grace);
  void advance_kill();
  void order(int signal_number);
  void look_for_input_wait();
  void set_waiting(std::optional<InputWait> waiting);
  void schedule_look(milliseconds from_now);

  const std::shared_ptr<Session> session_;
  Child child_;
  std::optional<sandbox::Cgroup> cgroup_;
  const std::shared_ptr<const void> companion_;
  const std::uint64_t number_;
  int epoll_ = -1;
  bool input_watched_ = false;
  bool within_line_ = false;  // what was written last did not end with a line break
  bool order_known_ = true;

  bool ready_ = false;
  std::optional<Note> ended_;
  bool exited_ = false;                                      // the launcher, and with it everything
  Clock::time_point give_up_at_ = Clock::time_point::max();  // on what should happen by itself
  Clock::time_point deadline_;
  std::optional<SessionState> cause_;  // why it was killed
  KillStage kill_stage_ = KillStage::kNone;
  Clock::time_point next_kill_ = Clock::time_point::max();
  std::string trouble_;

  std::optional<InputSample> last_sample_;
  Clock::time_point next_look_ = Clock::time_point::max();
  milliseconds look_interval_{0};
};

}  // namespace helve::process
