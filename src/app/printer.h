// Writes to stdout and stderr, with colours only on terminals that show them.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>

#include "terminal/line.h"
#include "terminal/safe_text.h"

namespace helve::app {

using terminal::Colour;
using terminal::printable;
using terminal::printable_line;

class Printer {
 public:
  // Looks at stdout, stderr, NO_COLOR and TERM.
  Printer();

  void out(std::string_view text) const;  // stdout
  void err(std::string_view text) const;  // stderr
  // JSON and a line break to stdout; on a terminal without characters that could control it.
  void out_json(std::string_view json) const;

  // Some output could not be written, for example because the disk is full.
  [[nodiscard]] bool out_failed() const { return out_failed_; }
  [[nodiscard]] bool out_is_terminal() const { return out_is_terminal_; }
  [[nodiscard]] bool out_colours() const { return out_colours_; }
  // The text in a colour when stdout shows colours.
  [[nodiscard]] std::string paint(terminal::Colour colour, std::string_view text) const;
  [[nodiscard]] std::string paint_err(terminal::Colour colour, std::string_view text) const;
  [[nodiscard]] int columns() const;

 private:
  bool out_is_terminal_;
  bool out_colours_;
  bool err_colours_;
  mutable bool out_failed_ = false;
};

// Breaks at spaces; lines after the first start with `indent` spaces.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

// Reads from a terminal. Returns one line ("\n" for an empty one), or nothing at the end of input, on a stop
// request or at `until`.
[[nodiscard]] std::string read_line(
    int terminal, const std::stop_token& stop,
    std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());

}  // namespace helve::app
