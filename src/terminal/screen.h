// Terminal output with permanent lines and a live area below them, and raw input mode.
#pragma once

#include <termios.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "terminal/line.h"

namespace helve::terminal {

struct Size {
  std::size_t columns = 80;
  std::size_t rows = 24;

  bool operator==(const Size&) const = default;
};

// The rows below all printed lines, redrawn on every change.
struct LiveArea {
  std::vector<Line> rows = {};  // wide rows are cut; if there are too many, the upper ones are omitted
  std::size_t cursor_row = 0;
  std::size_t cursor_column = 0;

  bool operator==(const LiveArea&) const = default;
};

// Printed lines are only appended, so that the terminal can scroll and copy them. The live area is erased and
// redrawn. Each change is one write. Not thread-safe.
class Screen {
 public:
  struct Look {
    bool colours = true;
    bool moves = true;  // the cursor can be moved; without that there is no live area
  };
  using Write = std::function<void(std::string_view)>;

  Screen(Write write, Look look, Size size) : write_(std::move(write)), look_(look), size_(size) {}

  [[nodiscard]] const Look& look() const { return look_; }
  [[nodiscard]] const Size& size() const { return size_; }
  // The maximum row width. One column stays free, because terminals behave differently at the edge.
  [[nodiscard]] std::size_t columns() const { return size_.columns > 1 ? size_.columns - 1 : 1; }

  // Wraps and prints permanent lines.
  void print(std::span<const Line> lines);
  void print(const Line& line) { print(std::span(&line, 1)); }
  void set_live(LiveArea area);
  // Call when the terminal was resized and has rearranged its content.
  void resize(Size size);
  // Clears the screen, but not the scrollback.
  void clear();

 private:
  [[nodiscard]] std::string erase_live();
  [[nodiscard]] std::string draw_live();
  [[nodiscard]] LiveArea fitted(LiveArea area) const;

  Write write_;
  Look look_;
  Size size_;
  LiveArea live_;   // as requested
  LiveArea shown_;  // as it is on the screen
};

// Raw mode: every key is delivered at once, including Ctrl-C, and pasted text is marked. The destructor
// restores the previous mode.
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

// The size of the terminal, or the default size if it is unknown.
[[nodiscard]] Size terminal_size(int fd);

}  // namespace helve::terminal
