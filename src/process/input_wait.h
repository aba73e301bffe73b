// Recognises from the kernel's own records that a command waits for somebody to type.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "process/process_info.h"
#include "process/spawn.h"

namespace helve::process {

// One process is inside a system call that reads from the command's stdin or terminal, and no other one runs.
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

// `controller` is our side of the terminal, or -1. A process may only just have begun to read, so that two
// samples in a row have to agree: see agree().
[[nodiscard]] InputSample sample_input(const ProcessTree& tree, const InputIdentity& input, int controller);

// The same reader, and nobody used any time in between.
[[nodiscard]] bool agree(const InputSample& before, const InputSample& now);

}  // namespace helve::process
