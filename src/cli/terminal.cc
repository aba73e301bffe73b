#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

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

// C1 controls, marks that turn the direction of writing, and invisible tags can make text look like other
// text.
bool steers(std::string_view character) {
  if (character.size() == 2) return character[0] == '\xC2' && static_cast<unsigned char>(character[1]) < 0xA0;
  if (character.size() == 3)
    return (character >= "\u202A" && character <= "\u202E") ||
           (character >= "\u2066" && character <= "\u2069") || character == "\u200E" || character == "\u200F";
  return character.size() == 4 && character >= "\U000E0000" && character <= "\U000E007F";
}

}  // namespace

Terminal::Terminal()
    : out_is_terminal_(::isatty(STDOUT_FILENO) != 0),
      out_colours_(wants_colours(STDOUT_FILENO)),
      err_colours_(wants_colours(STDERR_FILENO)) {}

void Terminal::out(std::string_view text) const {
  if (!write_all(STDOUT_FILENO, text)) out_failed_ = true;
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

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = utf8_character_length(text.substr(at));
    const std::string_view character = text.substr(at, std::max<std::size_t>(length, 1));
    at += character.size();
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F) {
      out += '^';
      out += static_cast<char>(byte ^ 0x40);
    } else if (length == 0 || steers(character)) {
      out += kReplacementCharacter;
    } else {
      out += character;
    }
  }
  return out;
}

std::string printable_line(std::string_view text) { return replace_all(printable(text), "\n", "⏎"); }

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
