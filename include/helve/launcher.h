// For programs that run commands through Helve without the helve program beside them.
//
//   int main(int argc, char** argv) {
//     if (const auto code = helve::launch_if_asked(argc, argv)) return *code;
//     auto runtime = helve::Runtime::create({.launcher = "/proc/self/exe"});
//     …
#pragma once

#include <optional>

namespace helve {

// Commands are started by copies of a process that waits, which wall them in: this program, started again.
// Must come first in main, before threads are started or files opened. The exit code when this process was
// such a one.
[[nodiscard]] std::optional<int> launch_if_asked(int argc, char** argv);

}  // namespace helve
