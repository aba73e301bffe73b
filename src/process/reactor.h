// The one thread that moves the bytes of all running commands and minds their clocks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"
#include "process/session_driver.h"

namespace helve::process {

// Owned by Sessions. All public functions may be called from all threads.
class Reactor {
 public:
  // Called on the reactor's thread without any lock after a command has ended.
  using OnEnd = std::function<void(const std::shared_ptr<Session>&)>;

  [[nodiscard]] static Expected<std::unique_ptr<Reactor>> create(OnEnd on_end);
  // Ends every command and waits for them.
  ~Reactor();
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  // The number to wake it by.
  [[nodiscard]] std::uint64_t next_number();
  void add(std::uint64_t number, std::unique_ptr<SessionDriver> driver);
  void wake(std::uint64_t number);

 private:
  Reactor(UniqueFd epoll, UniqueFd event, OnEnd on_end);
  void run();
  void take_in();
  void run_timers();
  void remove_finished();
  [[nodiscard]] int longest_wait() const;
  void ring() const;

  const UniqueFd epoll_;
  const UniqueFd event_;
  const OnEnd on_end_;

  std::mutex mutex_;  // guards these four
  std::uint64_t last_number_ = 0;
  std::vector<std::pair<std::uint64_t, std::unique_ptr<SessionDriver>>> incoming_;
  std::vector<std::uint64_t> woken_;
  bool stopping_ = false;

  std::map<std::uint64_t, std::unique_ptr<SessionDriver>> drivers_;  // the reactor's thread alone
  std::thread thread_;
};

}  // namespace helve::process
