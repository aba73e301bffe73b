#include "terminal/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/file_io.h"
#include "base/strings.h"

namespace helve::terminal {

void Screen::print(std::span<const Line> lines) {
  if (lines.empty()) return;
  std::string out = erase_live();
  for (const Line& line : lines)
    for (const Line& row : wrap_line(line, columns())) out += concat(to_text(row, look_.colours), "\r\n");
  out += draw_live();
  write_(out);
}

void Screen::set_live(LiveArea area) {
  if (!look_.moves || area == live_) return;
  live_ = std::move(area);
  std::string out = erase_live();
  out += draw_live();
  write_(out);
}

void Screen::resize(Size size) {
  if (size == size_) return;
  size_ = size;
  if (!look_.moves || shown_.rows.empty()) return;
  std::string out = erase_live();
  out += draw_live();
  write_(out);
}

void Screen::clear() {
  if (!look_.moves) return;
  shown_ = {};
  write_(concat("\x1b[H\x1b[2J", draw_live()));
}

std::string Screen::erase_live() {
  if (shown_.rows.empty()) return {};
  // A terminal that became narrower has wrapped rows; one that became wider has not joined any.
  const std::size_t columns = std::max<std::size_t>(size_.columns, 1);
  std::size_t up = shown_.cursor_column > 0 ? (shown_.cursor_column - 1) / columns : 0;
  for (std::size_t row = 0; row < shown_.cursor_row; ++row)
    up += std::max<std::size_t>((shown_.rows[row].width() + columns - 1) / columns, 1);
  up = std::min(up, size_.rows > 0 ? size_.rows - 1 : 0);
  shown_ = {};
  return up > 0 ? concat("\r\x1b[", up, "A\x1b[J") : std::string("\r\x1b[J");
}

LiveArea Screen::fitted(LiveArea area) const {
  for (Line& row : area.rows) row = cut_line(row, columns());
  area.cursor_column = std::min(area.cursor_column, columns());
  const std::size_t most = size_.rows > 1 ? size_.rows - 1 : 1;
  if (area.rows.size() > most) {
    const std::size_t extra = area.rows.size() - most;
    area.rows.erase(area.rows.begin(), area.rows.begin() + static_cast<std::ptrdiff_t>(extra));
    area.cursor_row -= std::min(extra, area.cursor_row);
  }
  if (!area.rows.empty()) area.cursor_row = std::min(area.cursor_row, area.rows.size() - 1);
  return area;
}

std::string Screen::draw_live() {
  if (!look_.moves || live_.rows.empty()) return {};
  shown_ = fitted(live_);
  std::string out = "\x1b[?25l";  // hide the cursor while drawing
  for (std::size_t row = 0; row < shown_.rows.size(); ++row)
    out += concat(row > 0 ? "\r\n" : "", to_text(shown_.rows[row], look_.colours));
  const std::size_t up = shown_.rows.size() - 1 - shown_.cursor_row;
  if (up > 0) out += concat("\x1b[", up, "A");
  out += '\r';
  if (shown_.cursor_column > 0) out += concat("\x1b[", shown_.cursor_column, "C");
  return out + "\x1b[?25h";
}

namespace {

constexpr std::string_view kEnablePasteMarks = "\x1b[?2004h";
constexpr std::string_view kDisablePasteMarks = "\x1b[?2004l";

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
  // TCSADRAIN keeps typed-ahead input.
  if (::tcsetattr(fd, TCSADRAIN, &raw) != 0)
    return fail(system_error("Cannot set the terminal's mode", errno));
  [[maybe_unused]] const auto written = write_all(fd, kEnablePasteMarks);
  return RawMode(fd, before);
}

RawMode::RawMode(RawMode&& other) noexcept : fd_(std::exchange(other.fd_, -1)), before_(other.before_) {}

RawMode::~RawMode() {
  if (fd_ < 0) return;
  [[maybe_unused]] const auto written = write_all(fd_, kDisablePasteMarks);
  ::tcsetattr(fd_, TCSADRAIN, &before_);
}

Size terminal_size(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

}  // namespace helve::terminal
