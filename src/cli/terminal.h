// Writes to the person: colours only where they can be seen, nothing that could steer the terminal.
#pragma once

#include <string>
#include <string_view>

#include "terminal/line.h"
#include "terminal/safe_text.h"

namespace helve::cli {

using terminal::Colour;
using terminal::printable;
using terminal::printable_line;

class Terminal {
 public:
  // Looks at stdout, stderr, NO_COLOR and TERM.
  Terminal();

  void out(std::string_view text) const;  // stdout
  void err(std::string_view text) const;  // stderr

  // Some output could not be written: a full disk, a reader that went away.
  [[nodiscard]] bool out_failed() const { return out_failed_; }
  [[nodiscard]] bool out_is_terminal() const { return out_is_terminal_; }
  [[nodiscard]] bool out_colours() const { return out_colours_; }
  // The text in a colour when stdout shows colours.
  [[nodiscard]] std::string paint(Colour colour, std::string_view text) const;
  [[nodiscard]] std::string paint_err(Colour colour, std::string_view text) const;
  [[nodiscard]] int columns() const;

 private:
  bool out_is_terminal_;
  bool out_colours_;
  bool err_colours_;
  mutable bool out_failed_ = false;
};

// Breaks at spaces; lines after the first start with `indent` spaces.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace helve::cli
