// Lets an embedding program start sandboxed commands itself, without the helve program.
//
//   #include <helve/launcher.h>
//   #include <helve/runtime.h>
//   int main(int argc, char** argv) {
//     if (const auto code = helve::launch_if_asked(argc, argv)) return *code;
//     auto runtime = helve::Runtime::create({.launcher = "/proc/self/exe"});
//     return runtime ? 0 : 1;
//   }
#pragma once

#include <optional>

#include "helve/api.h"

namespace HELVE_API helve {

// Helve starts commands through a launcher process, which sets up the sandbox and then runs the command. The
// launcher is the program named by RuntimeOptions::launcher, started again with special arguments.
//
// In a normal start this returns nothing, at once. In a launcher process it serves until its parent is gone
// and returns the exit code; main must return that code and do nothing else.
//
// Call it first in main: before other threads start, before files are opened and before arguments are parsed.
[[nodiscard]] std::optional<int> launch_if_asked(int argc, char** argv);

}  // namespace helve
