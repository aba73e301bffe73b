// A terminal that hands over every key at once, for as long as that is wanted.
#pragma once

#include <termios.h>

#include <optional>

#include "helve/error.h"
#include "terminal/screen.h"

namespace helve::terminal {

// Keys come as bytes, Ctrl-C too, and pasted text is marked as such. Restores the terminal when it goes.
class RawMode {
 public:
  [[nodiscard]] static Expected<RawMode> enter(int fd);
  RawMode(RawMode&& other) noexcept;
  RawMode& operator=(RawMode&&) = delete;
  RawMode(const RawMode&) = delete;
  RawMode& operator=(const RawMode&) = delete;
  ~RawMode();

 private:
  RawMode(int fd, const termios& before) : fd_(fd), before_(before) {}

  int fd_;
  termios before_;
};

// Of the terminal behind the descriptor; the usual size when it does not say.
[[nodiscard]] Size terminal_size(int fd);

}  // namespace helve::terminal
