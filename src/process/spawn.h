// Starts a launcher for one command, with pipes or a terminal, from a program that may have many threads.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/file_io.h"
#include "helve/error.h"
#include "process/launch_pad.h"
#include "process/launch_plan.h"

namespace helve::process {

struct Streams {
  enum class Input { kNothing, kPipe };
  Input input = Input::kNothing;
  // One terminal for all three streams instead of pipes; the command's stderr is then part of its stdout.
  bool terminal = false;
  std::uint16_t columns = 80;
  std::uint16_t rows = 24;
};

// What identifies the end of a stream that the command reads from, as fstat shows it to anybody.
struct InputIdentity {
  std::uint64_t inode = 0;   // of the pipe; 0: none
  std::uint64_t device = 0;  // of the terminal; 0: none
};

// Our side. All descriptors are close-on-exec, and those for streams and control do not block.
struct Child {
  pid_t launcher = -1;
  UniqueFd pidfd = {};    // readable when nothing of the command is left
  UniqueFd control = {};  // see launch_notes.h; closing it ends the command
  UniqueFd input = {};    // absent when the command reads nothing
  UniqueFd output = {};   // with a terminal, its own side of it
  UniqueFd error = {};    // absent with a terminal
  InputIdentity read_from = {};
};

// Returns when the launcher runs; whether the command could be started is told over `control`. The caller
// waits for the launcher in the end.
[[nodiscard]] Expected<Child> spawn(const Launch& launch, const Streams& streams, LaunchPad& pad);

}  // namespace helve::process
