// Captures the output of the program, for tests.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "base/file_io.h"

namespace helve::app {

// Sends stdout or stderr elsewhere while it exists: to a file in memory, or to `target`. Check expectations
// after its end, because it hides what they print.
class Redirected {
 public:
  explicit Redirected(int stream, UniqueFd target = UniqueFd(::memfd_create("output", MFD_CLOEXEC)))
      : stream_(stream), target_(std::move(target)), before_(::fcntl(stream, F_DUPFD_CLOEXEC, 3)) {
    if (!target_ || !before_ || ::dup2(target_.get(), stream_) < 0) std::abort();
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;
  ~Redirected() { ::dup2(before_.get(), stream_); }

  // Everything that was written so far.
  [[nodiscard]] std::string text() const {
    std::string all(static_cast<std::size_t>(::lseek(target_.get(), 0, SEEK_END)), '\0');
    all.resize(static_cast<std::size_t>(::pread(target_.get(), all.data(), all.size(), 0)));
    return all;
  }

 private:
  int stream_;
  UniqueFd target_;
  UniqueFd before_;
};

}  // namespace helve::app
