#include "app/signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>

#include "base/threads.h"

namespace helve::app {

InterruptWatcher::InterruptWatcher() {
  sigemptyset(&signals_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action{};
    // Signals that the parent ignores (nohup) stay ignored.
    if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
      sigaddset(&signals_, number);
  }
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  arrivals_ = UniqueFd(::signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK));
  wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
  // Without a thread that reads them, the signals end the program as usual.
  if (!try_start_thread(watcher_, [this](const std::stop_token& done) { watch(done); }))
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

InterruptWatcher::~InterruptWatcher() {
  if (!watcher_.joinable()) return;
  watcher_.request_stop();
  ::eventfd_write(wake_.get(), 1);  // ends the wait at once
  watcher_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void InterruptWatcher::watch(const std::stop_token& done) {
  constexpr int kTickMs = 100;  // in case the wake-up fails
  while (!done.stop_requested()) {
    std::array<pollfd, 2> ready{{{arrivals_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), kTickMs) <= 0 || ready[0].revents == 0) continue;
    signalfd_siginfo arrived{};
    if (::read(arrivals_.get(), &arrived, sizeof arrived) != sizeof arrived) continue;
    if (!interrupted_.request_stop()) {
      std::signal(static_cast<int>(arrived.ssi_signo), SIG_DFL);
      pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
      std::raise(static_cast<int>(arrived.ssi_signo));
    }
  }
}

ResizeSignals::ResizeSignals() {
  sigset_t resized;
  sigemptyset(&resized);
  sigaddset(&resized, SIGWINCH);
  pthread_sigmask(SIG_BLOCK, &resized, &before_);
  arrivals_ = UniqueFd(::signalfd(-1, &resized, SFD_CLOEXEC | SFD_NONBLOCK));
}

ResizeSignals::~ResizeSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void ResizeSignals::drain() const {
  signalfd_siginfo arrived{};
  while (::read(arrivals_.get(), &arrived, sizeof arrived) == sizeof arrived) {
  }
}

}  // namespace helve::app
