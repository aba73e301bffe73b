#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/file_io.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::cli {
namespace {

bool wants_colours(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && no_color[0] != '\0') return false;
  const char* term = std::getenv("TERM");
  return ::isatty(fd) != 0 && term != nullptr && std::string_view(term) != "dumb";
}

std::string_view code_of(Colour colour) {
  switch (colour) {
    case Colour::kNone: return "";
    case Colour::kBold: return "\x1b[1m";
    case Colour::kDim: return "\x1b[2m";
    case Colour::kRed: return "\x1b[31m";
    case Colour::kGreen: return "\x1b[32m";
    case Colour::kYellow: return "\x1b[33m";
    case Colour::kBlue: return "\x1b[34m";
    case Colour::kCyan: return "\x1b[36m";
  }
  return "";
}

std::string painted(bool colours, Colour colour, std::string_view text) {
  return colours && colour != Colour::kNone ? concat(code_of(colour), text, "\x1b[0m") : std::string(text);
}

}  // namespace

Terminal::Terminal()
    : out_is_terminal_(::isatty(STDOUT_FILENO) != 0),
      out_colours_(wants_colours(STDOUT_FILENO)),
      err_colours_(wants_colours(STDERR_FILENO)) {}

void Terminal::out(std::string_view text) const {
  errno = 0;
  // Who reads the first lines only, like head, has got what they wanted.
  if (!write_all(STDOUT_FILENO, text) && errno != EPIPE) out_failed_ = true;
}
void Terminal::err(std::string_view text) const {
  // Without stderr there is nowhere to complain.
  [[maybe_unused]] const auto written = write_all(STDERR_FILENO, text);
}

std::string Terminal::paint(Colour colour, std::string_view text) const {
  return painted(out_colours_, colour, text);
}
std::string Terminal::paint_err(Colour colour, std::string_view text) const {
  return painted(err_colours_, colour, text);
}

int Terminal::columns() const {
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

}  // namespace helve::cli
