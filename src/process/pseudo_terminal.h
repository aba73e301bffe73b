// A terminal that exists only between Helve and one command.
#pragma once

#include <cstdint>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve::process {

struct PseudoTerminal {
  UniqueFd controller = {};  // ours
  UniqueFd terminal = {};    // the command's
  std::uint64_t device = 0;  // number of the command's side
};

[[nodiscard]] Expected<PseudoTerminal> open_pseudo_terminal(std::uint16_t columns, std::uint16_t rows);

// Whether what is typed would not be shown: somebody asks for a password.
[[nodiscard]] bool echo_is_off(int controller);

}  // namespace helve::process
