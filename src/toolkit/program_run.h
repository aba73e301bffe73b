// Runs a program to its end in a read-only sandbox without network, for a tool that needs its output.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "helve/context.h"
#include "helve/error.h"

namespace helve::toolkit {

struct ProgramOrder {
  std::vector<std::string> arguments = {};  // the program first, as an absolute path
  std::string directory = ".";              // relative to the workspace
  std::string input = {};                   // for its stdin
  std::chrono::milliseconds time_limit = std::chrono::seconds(100);
};

struct ProgramEnd {
  int exit_code = 0;  // 128 + signal when one ended it
  std::string output = {};
  std::string errors = {};
};

// TIMEOUT or CANCELLED when it did not finish, EXECUTION_FAILED when it printed more than 64 MiB. The sandbox
// is the one of exec, unless the settings switch it off.
[[nodiscard]] Expected<ProgramEnd> run_program(Context& context, ProgramOrder order);

}  // namespace helve::toolkit
