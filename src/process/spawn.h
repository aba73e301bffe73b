// Starts a launcher for one command, with pipes or a pseudo-terminal.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/file_io.h"
#include "helve/error.h"
#include "process/fork_server.h"
#include "process/launcher_protocol.h"

namespace helve::process {

struct Streams {
  enum class Input { kNothing, kPipe };
  Input input = Input::kNothing;
  // One terminal for all three streams instead of pipes; the command's stderr is then part of its stdout.
  bool terminal = false;
  std::uint16_t columns = 80;
  std::uint16_t rows = 24;
};

// Identifies the command's end of its input, as fstat() shows it to any process.
struct InputIdentity {
  std::uint64_t inode = 0;   // of the pipe; 0: none
  std::uint64_t device = 0;  // of the terminal; 0: none
};

// Helve's side. All descriptors are close-on-exec; those for streams and control are non-blocking.
struct Child {
  pid_t launcher = -1;
  UniqueFd pidfd = {};    // readable when no process of the command is left
  UniqueFd control = {};  // see launcher_protocol.h; closing it kills the command
  UniqueFd input = {};    // absent when the command reads nothing
  UniqueFd output = {};   // with a terminal, the controller's side
  UniqueFd error = {};    // absent with a terminal
  InputIdentity read_from = {};
};

// Returns when the launcher runs. The launcher reports over `control` whether the command started. The caller
// must wait for the launcher process.
[[nodiscard]] Expected<Child> spawn(const Launch& launch, const Streams& streams, ForkServer& fork_server);

}  // namespace helve::process
