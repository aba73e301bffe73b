#include "cli/resize_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace helve::cli {

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

}  // namespace helve::cli
