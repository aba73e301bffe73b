// The program between Helve and a command: a process with one thread, which walls the command in, starts it
// and sees to it that nothing of it outlives its end, nor Helve's.
//
//   Helve ── launcher ── init (pid 1 of the command's PID namespace) ── command
//   Helve ── launcher ── command                                        at level off, or where there is no
//   such namespace
//   Helve ── the pad, of which every launcher is a copy (launch_pad.h)
//
// It is Helve's own program, started again: main() asks launcher_requested() before it does anything else.
#pragma once

namespace helve::process {

// argv[0] of a launcher.
inline constexpr const char* kLauncherName = "helve-launcher";

[[nodiscard]] bool launcher_requested(int argc, char** argv);

// Waits for requests (launch_request.h) until Helve hangs up. Each copy takes its plan and its control socket
// from the descriptors of launch_plan.h, and never writes to the command's streams.
int launcher_main();

}  // namespace helve::process
