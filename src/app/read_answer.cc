#include "app/read_answer.h"

#include <fcntl.h>
#include <termios.h>

#include "app/printer.h"
#include "base/file_io.h"
#include "base/strings.h"

namespace helve::app {

std::optional<std::string> ask_word(const std::string& question) {
  const UniqueFd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal) return std::nullopt;
  ::tcflush(terminal.get(), TCIFLUSH);  // discard keys typed before the question
  if (!write_all(terminal.get(), question)) return std::nullopt;
  return to_lower(trim(read_line(terminal.get(), {})));
}

std::optional<bool> ask_yes_or_no(const std::string& question) {
  const auto answer = ask_word(question);
  if (!answer) return std::nullopt;
  return *answer == "y" || *answer == "yes";
}

}  // namespace helve::app
