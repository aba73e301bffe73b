// What is written to a terminal: lines that stay, and below them a few that change.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/line.h"

namespace helve::terminal {

struct Size {
  std::size_t columns = 80;
  std::size_t rows = 24;

  bool operator==(const Size&) const = default;
};

// What is drawn below everything else, until it is drawn again.
struct LiveArea {
  std::vector<Line> rows = {};  // cut when they are too wide, the upper ones left out when they are too many
  std::size_t cursor_row = 0;
  std::size_t cursor_column = 0;

  bool operator==(const LiveArea&) const = default;
};

// Appends only: what was printed is the terminal's, to scroll and to copy. The live area is erased and drawn
// again around it. Each change is one write. For one thread.
class Screen {
 public:
  struct Look {
    bool colours = true;
    bool moves = true;  // the cursor can be moved; otherwise there is no live area
  };
  using Write = std::function<void(std::string_view)>;

  Screen(Write write, Look look, Size size) : write_(std::move(write)), look_(look), size_(size) {}

  [[nodiscard]] const Look& look() const { return look_; }
  [[nodiscard]] const Size& size() const { return size_; }
  // How wide rows may be: one column is left free, since terminals differ in what they do at the edge.
  [[nodiscard]] std::size_t columns() const { return size_.columns > 1 ? size_.columns - 1 : 1; }

  // Wraps the lines; they stay.
  void print(std::span<const Line> lines);
  void print(const Line& line) { print(std::span(&line, 1)); }
  void set_live(LiveArea area);
  // The terminal has another size, and has moved what it shows accordingly.
  void resize(Size size);
  // Clears the screen, but not what is scrolled out of it.
  void clear();

 private:
  [[nodiscard]] std::string erase_live();
  [[nodiscard]] std::string draw_live();
  [[nodiscard]] LiveArea fitted(LiveArea area) const;

  Write write_;
  Look look_;
  Size size_;
  LiveArea live_;   // as it was asked for
  LiveArea shown_;  // as it is on the screen
};

}  // namespace helve::terminal
