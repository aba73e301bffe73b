#include "process/pseudo_terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>

#include <cerrno>

namespace helve::process {

Expected<PseudoTerminal> open_pseudo_terminal(std::uint16_t columns, std::uint16_t rows) {
  PseudoTerminal pair;
  pair.controller.reset(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pair.controller) return fail(system_error("Cannot make a terminal for the command", errno));
  int locked = 0;
  if (::ioctl(pair.controller.get(), TIOCSPTLCK, &locked) != 0)
    return fail(system_error("Cannot unlock the command's terminal", errno));
  // By descriptor instead of by name: the name means something else in another file tree.
  pair.terminal.reset(::ioctl(pair.controller.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pair.terminal) return fail(system_error("Cannot open the command's terminal", errno));

  winsize size{};
  size.ws_col = columns;
  size.ws_row = rows;
  ::ioctl(pair.terminal.get(), TIOCSWINSZ, &size);
  termios modes{};
  if (::tcgetattr(pair.terminal.get(), &modes) == 0) {
    // The log has the line breaks that the command wrote.
    modes.c_oflag &= ~static_cast<tcflag_t>(ONLCR);
    ::tcsetattr(pair.terminal.get(), TCSANOW, &modes);
  }
  struct stat status;
  if (::fstat(pair.terminal.get(), &status) == 0) pair.device = status.st_rdev;
  return pair;
}

bool echo_is_off(int controller) {
  termios modes{};
  return ::tcgetattr(controller, &modes) == 0 && (modes.c_lflag & ECHO) == 0 && (modes.c_lflag & ICANON) != 0;
}

}  // namespace helve::process
