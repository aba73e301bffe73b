#include "cli/terminal_line.h"

#include <poll.h>
#include <unistd.h>

namespace helve::cli {

std::string read_line(int terminal, const std::stop_token& stop,
                      std::chrono::steady_clock::time_point until) {
  std::string line;
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < until) {
    pollfd ready{terminal, POLLIN, 0};
    if (::poll(&ready, 1, 100) <= 0) continue;
    char c = 0;
    if (::read(terminal, &c, 1) != 1) return {};
    if (c == '\n') return line.empty() ? "\n" : line;
    line += c;
  }
  return {};
}

}  // namespace helve::cli
