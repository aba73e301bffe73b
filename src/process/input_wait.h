// Detects from /proc that a command waits for input.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "process/process_info.h"
#include "process/spawn.h"

namespace helve::process {

// One process is in a system call that reads from the command's stdin or terminal, and no other process runs.
struct InputWait {
  pid_t pid = 0;
  std::string program = {};
  bool password = false;  // the terminal does not echo
  bool operator==(const InputWait&) const = default;
};

struct InputSample {
  std::optional<InputWait> reader = {};
  std::uint64_t cpu_ticks = 0;  // of all processes
};

// `controller` is Helve's side of the terminal, or -1. A process may have begun to read only just now, so two
// consecutive samples must agree(), see below.
[[nodiscard]] InputSample sample_input(const ProcessTree& tree, const InputIdentity& input, int controller);

// The same reader, and no process used CPU time in between.
[[nodiscard]] bool agree(const InputSample& before, const InputSample& now);

}  // namespace helve::process
