#include "process/reactor.h"
#include "base/threads.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace helve::process {
namespace {

constexpr std::size_t kReadBuffer = std::size_t{1} << 20;
constexpr std::uint64_t kEventToken = 0;  // job numbers start at 1

}  // namespace

Expected<std::unique_ptr<Reactor>> Reactor::create(OnEnd on_end) {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return fail(system_error("Cannot watch commands", errno));
  UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event) return fail(system_error("Cannot watch commands", errno));
  std::unique_ptr<Reactor> reactor(new Reactor(std::move(epoll), std::move(event), std::move(on_end)));
  if (!reactor->thread_.joinable()) return fail(no_thread_error("so no command can be started"));
  return reactor;
}

Reactor::Reactor(UniqueFd epoll, UniqueFd event, OnEnd on_end)
    : epoll_(std::move(epoll)), event_(std::move(event)), on_end_(std::move(on_end)) {
  epoll_event watched{};
  watched.events = EPOLLIN;
  watched.data.u64 = kEventToken;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, event_.get(), &watched);
  // The thread inherits a mask that blocks all signals: writing to a command that does not read must not
  // raise SIGPIPE, and the program's signals are for other threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  static_cast<void>(try_start_thread(thread_, [this] { run(); }));  // create() checks
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Reactor::~Reactor() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  notify();
  if (thread_.joinable()) thread_.join();
}

std::uint64_t Reactor::next_number() {
  const std::lock_guard lock(mutex_);
  return ++last_number_;
}

void Reactor::add(std::uint64_t number, std::unique_ptr<JobDriver> driver) {
  {
    const std::lock_guard lock(mutex_);
    incoming_.emplace_back(number, std::move(driver));
  }
  notify();
}

void Reactor::wake(std::uint64_t number) {
  {
    const std::lock_guard lock(mutex_);
    woken_.push_back(number);
  }
  notify();
}

void Reactor::notify() const {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(event_.get(), &one, sizeof one));
}

void Reactor::handle_requests() {
  decltype(incoming_) incoming;
  std::vector<std::uint64_t> woken;
  bool stopping = false;
  {
    const std::lock_guard lock(mutex_);
    incoming.swap(incoming_);
    woken.swap(woken_);
    stopping = stopping_;
  }
  for (auto& [number, driver] : incoming) {
    driver->watch(epoll_.get());
    drivers_.emplace(number, std::move(driver));
  }
  for (const std::uint64_t number : woken)
    if (const auto driver = drivers_.find(number); driver != drivers_.end())
      driver->second->handle_requests();
  if (!stopping) return;
  for (const auto& [number, driver] : drivers_) {
    driver->job()->kill(milliseconds(0));
    driver->handle_requests();
  }
}

int Reactor::longest_wait() const {
  Clock::time_point next = Clock::time_point::max();
  for (const auto& [number, driver] : drivers_) next = std::min(next, driver->next_timer());
  if (next == Clock::time_point::max()) return -1;
  const auto rest = std::chrono::ceil<milliseconds>(next - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(rest, 0, 60'000));
}

void Reactor::run_timers() {
  const Clock::time_point now = Clock::now();
  for (const auto& [number, driver] : drivers_)
    if (driver->next_timer() <= now) driver->on_timer();
}

void Reactor::remove_finished() {
  std::vector<std::shared_ptr<Job>> ended;
  for (auto entry = drivers_.begin(); entry != drivers_.end();) {
    if (!entry->second->finished()) {
      ++entry;
      continue;
    }
    entry->second->conclude();
    // A job that never started is not reported as ended; start() returns its error.
    if (entry->second->was_started()) ended.push_back(entry->second->job());
    entry = drivers_.erase(entry);
  }
  if (on_end_)
    for (const auto& job : ended) on_end_(job);
}

void Reactor::run() {
  const auto memory = std::make_unique<char[]>(kReadBuffer);
  const std::span<char> buffer(memory.get(), kReadBuffer);
  std::array<epoll_event, 64> events{};
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_ && drivers_.empty() && incoming_.empty()) return;
    }
    const int count =
        ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), longest_wait());
    for (int i = 0; i < count; ++i) {
      const std::uint64_t token = events[static_cast<std::size_t>(i)].data.u64;
      if (token == kEventToken) {
        std::uint64_t notifications = 0;
        static_cast<void>(!::read(event_.get(), &notifications, sizeof notifications));
        handle_requests();
        continue;
      }
      const auto driver = drivers_.find(token >> JobDriver::kSourceBits);
      constexpr std::uint64_t kSourceMask = (1U << JobDriver::kSourceBits) - 1;
      if (driver != drivers_.end())
        driver->second->handle(static_cast<JobDriver::Source>(token & kSourceMask), buffer);
    }
    run_timers();
    remove_finished();
  }
}

}  // namespace helve::process
