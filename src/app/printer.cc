#include "app/printer.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/file_io.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::app {
namespace {

bool wants_colours(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && no_color[0] != '\0') return false;
  const char* term = std::getenv("TERM");
  return ::isatty(fd) != 0 && term != nullptr && std::string_view(term) != "dumb";
}

std::string_view code_of(terminal::Colour colour) {
  switch (colour) {
    case terminal::Colour::kNone: return "";
    case terminal::Colour::kBold: return "\x1b[1m";
    case terminal::Colour::kDim: return "\x1b[2m";
    case terminal::Colour::kRed: return "\x1b[31m";
    case terminal::Colour::kGreen: return "\x1b[32m";
    case terminal::Colour::kYellow: return "\x1b[33m";
    case terminal::Colour::kBlue: return "\x1b[34m";
    case terminal::Colour::kCyan: return "\x1b[36m";
  }
  return "";
}

std::string painted(bool colours, terminal::Colour colour, std::string_view text) {
  return colours && colour != terminal::Colour::kNone ? concat(code_of(colour), text, "\x1b[0m")
                                                      : std::string(text);
}

}  // namespace

Printer::Printer()
    : out_is_terminal_(::isatty(STDOUT_FILENO) != 0),
      out_colours_(wants_colours(STDOUT_FILENO)),
      err_colours_(wants_colours(STDERR_FILENO)) {}

void Printer::out(std::string_view text) const {
  errno = 0;
  // A reader such as head may close the pipe early; that is not a failure.
  if (!write_all(STDOUT_FILENO, text) && errno != EPIPE) out_failed_ = true;
}
void Printer::out_json(std::string_view json) const {
  out(concat(out_is_terminal_ ? terminal::printable_json(json) : std::string(json), "\n"));
}
void Printer::err(std::string_view text) const {
  // A failure of stderr cannot be reported.
  [[maybe_unused]] const auto written = write_all(STDERR_FILENO, text);
}

std::string Printer::paint(terminal::Colour colour, std::string_view text) const {
  return painted(out_colours_, colour, text);
}
std::string Printer::paint_err(terminal::Colour colour, std::string_view text) const {
  return painted(err_colours_, colour, text);
}

int Printer::columns() const {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", start), text.size());
    const std::string_view word = text.substr(start, end - start);
    const std::size_t length = count_characters(word);
    if (column > indent && column + 1 + length > width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
    if (end < text.size() && text[end] == '\n') {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
    }
    start = end + 1;
  }
  return out;
}

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

}  // namespace helve::app
