// Waiting for file locks (flock) that other threads and processes hold.
#pragma once

#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

namespace helve {

// Waits for LOCK_EX or LOCK_SH, also after signals. Returns 0 or the error number.
[[nodiscard]] inline int wait_for_lock(int fd, int operation) {
  while (::flock(fd, operation) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

[[nodiscard]] inline bool try_lock(int fd, int operation) { return ::flock(fd, operation | LOCK_NB) == 0; }
[[nodiscard]] inline bool try_exclusive_lock(int fd) { return try_lock(fd, LOCK_EX); }

// Growing pauses between attempts, until a deadline. Owned by one thread.
class Backoff {
 public:
  explicit Backoff(std::chrono::milliseconds limit) : deadline_(std::chrono::steady_clock::now() + limit) {}

  // Sleeps before the next attempt. Returns false, without sleeping, after the deadline.
  [[nodiscard]] bool wait() {
    if (std::chrono::steady_clock::now() >= deadline_) return false;
    std::this_thread::sleep_for(pause_);
    pause_ = std::min(pause_ * 2, std::chrono::microseconds(5000));
    return true;
  }

 private:
  std::chrono::steady_clock::time_point deadline_;
  std::chrono::microseconds pause_{50};
};

// The same as wait_for_lock(), but returns EWOULDBLOCK if another holds the lock until `limit` has passed.
[[nodiscard]] inline int wait_for_lock(int fd, int operation, std::chrono::milliseconds limit) {
  Backoff backoff(limit);
  while (!try_lock(fd, operation)) {
    const int error = errno;
    if (error != EWOULDBLOCK && error != EINTR) return error;
    if (!backoff.wait()) return EWOULDBLOCK;
  }
  return 0;
}

}  // namespace helve
