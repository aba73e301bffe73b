#include "core/ready_list.h"

#include <algorithm>
#include <deque>
#include <thread>

namespace helve::core {

using Clock = Context::Clock;

struct ReadyList::State {
  enum class Phase { kWaiting, kReady, kTaken };

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Member> members;
  std::vector<Phase> phases;
  std::deque<std::size_t> ready;  // in the order of their turns
  std::size_t left = 0;           // not taken yet

  // The next member whose turn has come or whose waiting time is over.
  std::optional<Taken> next(Clock::time_point now, Clock::time_point& wake_up) {
    if (!ready.empty()) {
      const std::size_t index = ready.front();
      ready.pop_front();
      return mark_taken(index, true);
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (phases[i] != Phase::kWaiting) continue;
      if (members[i].stop.stop_requested() || members[i].patience <= now) return mark_taken(i, false);
      wake_up = std::min(wake_up, members[i].patience);
    }
    return std::nullopt;
  }

  Taken mark_taken(std::size_t index, bool has_turn) {
    phases[index] = Phase::kTaken;
    if (--left == 0) changed.notify_all();
    return {index, has_turn};
  }
};

ReadyList::ReadyList(std::vector<Member> members) : state_(std::make_shared<State>()) {
  state_->phases.resize(members.size(), State::Phase::kWaiting);
  state_->left = members.size();
  state_->members = std::move(members);
  for (const Member& member : state_->members)
    if (member.stop.stop_possible())
      stop_callbacks_.push_back(
          std::make_unique<std::stop_callback<std::function<void()>>>(member.stop, [state = state_] {
            const std::lock_guard lock(state->mutex);
            state->changed.notify_all();
          }));
}

ReadyList::~ReadyList() = default;

std::function<void()> ReadyList::on_turn(std::size_t index) const {
  return [state = state_, index] {
    const std::lock_guard lock(state->mutex);
    if (state->phases[index] != State::Phase::kWaiting) return;
    state->phases[index] = State::Phase::kReady;
    state->ready.push_back(index);
    state->changed.notify_one();
  };
}

void ReadyList::skip(std::size_t index) {
  const std::lock_guard lock(state_->mutex);
  state_->mark_taken(index, false);
}

std::optional<ReadyList::Taken> ReadyList::take() {
  std::unique_lock lock(state_->mutex);
  while (state_->left > 0) {
    Clock::time_point wake_up = Clock::now() + std::chrono::hours(1);
    if (auto taken = state_->next(Clock::now(), wake_up)) return taken;
    state_->changed.wait_until(lock, wake_up);
  }
  return std::nullopt;
}

void ReadyList::work_off(std::size_t threads, const std::function<void(const Taken&)>& work) {
  const auto work_until_done = [&] {
    while (const auto taken = take()) work(*taken);
  };
  std::vector<std::jthread> helpers;
  const std::size_t wanted = std::min(threads, state_->members.size());
  // With fewer threads it is slower, but it works.
  try {
    for (std::size_t i = 1; i < wanted; ++i) helpers.emplace_back(work_until_done);
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
  }
  work_until_done();
}

}  // namespace helve::core
