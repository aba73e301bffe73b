#include "effects/watch.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/threads.h"
#include "effects/traced_call.h"

namespace helve::effects {
namespace {

// Answers the next call. False when there is none.
bool serve_one(int listener, PathLocator& locator, Recorder& recorder) {
  seccomp_notif call{};
  if (::ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return errno == EINTR;
  record_call(call, locator, recorder);
  seccomp_notif_resp answer{.id = call.id, .val = 0, .error = 0, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  // ENOENT: the process was killed meanwhile.
  while (::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) != 0 && errno == EINTR) {
  }
  return true;
}

}  // namespace

Watch::Watch(std::string workspace, Recorder& recorder, UniqueFd wake_read, UniqueFd wake_write)
    : workspace_(std::move(workspace)),
      recorder_(recorder),
      wake_read_(std::move(wake_read)),
      wake_write_(std::move(wake_write)) {}

Expected<std::unique_ptr<Watch>> Watch::start(std::string workspace, Recorder& recorder) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(system_error("Cannot create a pipe", errno));
  std::unique_ptr<Watch> watch(
      new Watch(std::move(workspace), recorder, UniqueFd(ends[0]), UniqueFd(ends[1])));
  if (!try_start_thread(watch->thread_, [raw = watch.get()] { raw->run(); }))
    return fail(no_thread_error("so the command was not started"));
  return watch;
}

Watch::~Watch() { finish(); }

void Watch::serve(UniqueFd listener) {
  const std::lock_guard lock(mutex_);
  if (served_ || !wake_write_) return;
  served_ = true;
  handed_over_ = std::move(listener);
  static_cast<void>(write_all(wake_write_.get(), "L"));
}

void Watch::finish() {
  {
    const std::lock_guard lock(mutex_);
    wake_write_.reset();
  }
  if (thread_.joinable()) thread_.join();
}

void Watch::run() {
  PathLocator locator(workspace_);
  UniqueFd listener;
  bool is_ending = false;
  for (;;) {
    std::array<pollfd, 2> watched = {
        {{.fd = listener.get(), .events = POLLIN, .revents = 0},
         {.fd = is_ending ? -1 : wake_read_.get(), .events = POLLIN, .revents = 0}}};
    const int ready = ::poll(watched.data(), watched.size(), is_ending ? 0 : -1);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return;
    if ((watched[0].revents & POLLIN) != 0) {
      serve_one(listener.get(), locator, recorder_);
    } else if (watched[0].revents != 0) {
      return;  // no process of the command is left
    }
    if (watched[1].revents == 0) continue;
    char byte = 0;
    if (::read(wake_read_.get(), &byte, 1) == 1) {
      const std::lock_guard lock(mutex_);
      listener = std::move(handed_over_);
    } else {
      is_ending = true;
    }
  }
}

}  // namespace helve::effects
