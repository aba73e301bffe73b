// The program between Helve and a command: a fresh process with one thread, which walls the command in,
// starts it and sees to it that nothing of it outlives its end, nor Helve's.
//
//   Helve ── launcher ── init (pid 1 of the command's PID namespace) ── command
//   Helve ── launcher ── command                                        at level off, or where there is no
//   such namespace
//
// It is Helve's own program, started again: main() asks launcher_requested() before it does anything else.
#pragma once

namespace helve::process {

// argv[0] of a launcher.
inline constexpr const char* kLauncherName = "helve-launcher";

[[nodiscard]] bool launcher_requested(int argc, char** argv);

// Takes the plan and the control socket from the descriptors of launch_plan.h. Never writes to the command's
// streams.
int launcher_main();

}  // namespace helve::process
