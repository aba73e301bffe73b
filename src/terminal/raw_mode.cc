#include "terminal/raw_mode.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <utility>

#include "base/file_io.h"

namespace helve::terminal {
namespace {

constexpr std::string_view kMarkPastes = "\x1b[?2004h";
constexpr std::string_view kNoMarks = "\x1b[?2004l";

}  // namespace

Expected<RawMode> RawMode::enter(int fd) {
  termios before{};
  if (::tcgetattr(fd, &before) != 0) return fail(system_error("Cannot read the terminal's mode", errno));
  termios raw = before;
  raw.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON);
  raw.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
  raw.c_cflag |= CS8;
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  // What was typed ahead stays.
  if (::tcsetattr(fd, TCSADRAIN, &raw) != 0)
    return fail(system_error("Cannot set the terminal's mode", errno));
  [[maybe_unused]] const auto written = write_all(fd, kMarkPastes);
  return RawMode(fd, before);
}

RawMode::RawMode(RawMode&& other) noexcept : fd_(std::exchange(other.fd_, -1)), before_(other.before_) {}

RawMode::~RawMode() {
  if (fd_ < 0) return;
  [[maybe_unused]] const auto written = write_all(fd_, kNoMarks);
  ::tcsetattr(fd_, TCSADRAIN, &before_);
}

Size terminal_size(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

}  // namespace helve::terminal
