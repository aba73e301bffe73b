// Hands the calls of a batch to a few threads when their turn comes or their waiting time is over.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "helve/context.h"

namespace helve::core {

// May be used from all threads. Ignores turns of members that gave up, and turns after its destruction.
class ReadyList {
 public:
  struct Member {
    std::stop_token stop;
    Context::Clock::time_point patience;  // end of the waiting time
  };
  struct Taken {
    std::size_t index;
    bool has_turn;  // false: stopped, or the waiting time is over
  };

  explicit ReadyList(std::vector<Member> members);
  ReadyList(const ReadyList&) = delete;
  ReadyList& operator=(const ReadyList&) = delete;
  ~ReadyList();

  // The callback for the member's turn.
  [[nodiscard]] std::function<void()> on_turn(std::size_t index) const;
  // The member will not run.
  void skip(std::size_t index);
  // Waits for the next member; nothing when none is left.
  [[nodiscard]] std::optional<Taken> take();
  // Returns when all members are done or skipped.
  void work_off(std::size_t threads, const std::function<void(const Taken&)>& work);

 private:
  struct State;
  std::shared_ptr<State> state_;
  // Wake those who wait when a member is stopped.
  std::vector<std::unique_ptr<std::stop_callback<std::function<void()>>>> stop_callbacks_;
};

}  // namespace helve::core
