// Hands the members of a batch to a few threads as their turns come, or as they give up waiting.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "helve/context.h"

namespace helve {

// May be used from all threads. Turns that come after a member has given up, or after this is gone, are
// ignored.
class ReadyList {
 public:
  struct Member {
    std::stop_token stop;
    Context::Clock::time_point patience;  // gives up waiting then
  };
  struct Taken {
    std::size_t index;
    bool has_turn;  // false: it was stopped or lost patience
  };

  explicit ReadyList(std::vector<Member> members);
  ReadyList(const ReadyList&) = delete;
  ReadyList& operator=(const ReadyList&) = delete;
  ~ReadyList();

  // To be called when the member's turn has come.
  [[nodiscard]] std::function<void()> on_turn(std::size_t index) const;
  // The member is not to be taken.
  void skip(std::size_t index);
  // Waits for the next one; nothing when there are no more.
  [[nodiscard]] std::optional<Taken> take();
  // Returns when all members were worked off or skipped.
  void work_off(std::size_t threads, const std::function<void(const Taken&)>& work);

 private:
  struct State;
  std::shared_ptr<State> state_;
  // Wake those who wait when a member is stopped.
  std::vector<std::unique_ptr<std::stop_callback<std::function<void()>>>> stop_callbacks_;
};

}  // namespace helve
