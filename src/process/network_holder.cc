#include "process/network_holder.h"

#include <poll.h>
#include <sys/wait.h>

#include <cerrno>

#include "process/launch_notes.h"

namespace helve::process {
namespace {

constexpr int kLongestStartMs = 10'000;

bool becomes_readable(int fd, int milliseconds) {
  pollfd ready{fd, POLLIN, 0};
  int found = 0;
  do {
    found = ::poll(&ready, 1, milliseconds);
  } while (found < 0 && errno == EINTR);
  return found > 0;
}

}  // namespace

NetworkHolder::~NetworkHolder() {
  if (child_) end(*child_);
}

void NetworkHolder::end(Child& child) {
  child.control.reset();  // it waits for this
  while (::waitpid(child.launcher, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<Child> NetworkHolder::start() {
  Launch launch;
  launch.holds_network = true;
  auto child = spawn(launch, {}, pad_);
  if (!child) return {};
  Note note;
  const bool heard = becomes_readable(child->control.get(), kLongestStartMs) &&
                     receive_note(child->control.get(), note) == Received::kPacket;
  if (heard && note.kind == Note::Kind::kReady) return std::move(*child);
  refused_ = heard;  // otherwise it was an accident, and the next command may have more luck
  end(*child);
  return {};
}

pid_t NetworkHolder::pid() {
  const std::lock_guard lock(mutex_);
  // Somebody may have killed it; a process that was not waited for keeps its number.
  if (child_ && becomes_readable(child_->pidfd.get(), 0)) {
    end(*child_);
    child_.reset();
  }
  if (!child_ && !refused_) child_ = start();
  return child_ ? child_->launcher : 0;
}

}  // namespace helve::process
