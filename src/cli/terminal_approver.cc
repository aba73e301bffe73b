#include "cli/terminal_approver.h"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "base/file_io.h"
#include "base/strings.h"
#include "cli/terminal.h"

namespace helve::cli {
namespace {

// One line, or nothing when the person or the program ends the wait.
std::string read_line(int terminal, const std::stop_token& stop) {
  std::string line;
  while (!stop.stop_requested()) {
    pollfd ready{terminal, POLLIN, 0};
    if (::poll(&ready, 1, 100) <= 0) continue;
    char c = 0;
    if (::read(terminal, &c, 1) != 1) return {};
    if (c == '\n') return line.empty() ? "\n" : line;
    line += c;
  }
  return {};
}

}  // namespace

Approval TerminalApprover::ask(const PermissionRequest& request, const std::stop_token& stop) {
  const std::lock_guard lock(one_question_at_a_time_);
  const UniqueFd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal) return {false, "there is no terminal to ask at"};
  std::string question = concat("\n", request.tool, " wants to ", name_of(request.effect), ":\n  ",
                                printable_line(to_text(request.arguments)), "\n");
  if (!request.explanation.empty()) question += concat("  why: ", printable_line(request.explanation), "\n");
  question += "Allow this one call? [y]es, or [n]o with a reason: ";
  ::tcflush(terminal.get(), TCIFLUSH);  // what was typed before the question is no answer to it
  if (!write_all(terminal.get(), question)) return {false, "the terminal could not be used"};
  const std::string answer = read_line(terminal.get(), stop);
  const std::string_view said = trim(answer);
  if (const std::string word = to_lower(said); word == "y" || word == "yes") return {true, {}};
  std::string_view reason = said;
  for (const std::string_view no : {"no", "n", "N"})
    if (reason == no || reason.starts_with(concat(no, " "))) reason.remove_prefix(no.size());
  return {false, std::string(trim(reason))};
}

}  // namespace helve::cli
