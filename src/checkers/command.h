// The command line of a formatter or linter for one file.
#pragma once

#include <string>
#include <vector>

#include "checkers/find_checker.h"

namespace helve::checkers {

struct CheckerCommand {
  std::vector<std::string> arguments = {};  // the program first, as an absolute path
  std::string directory = {};               // where it starts; relative to the workspace, "." for itself
  std::vector<std::string> notes = {};      // for the caller
  bool guesses_flags = false;               // nothing tells how the compiler is called
};
[[nodiscard]] CheckerCommand make_command(const Chosen& chosen, const Subject& subject);

}  // namespace helve::checkers
