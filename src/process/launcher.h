// The single-threaded process between Helve and a command. It sandboxes and starts the command and makes sure
// that no process of the command outlives the command or Helve.
//
//   Helve ── launcher ── init (pid 1 of the command's PID namespace) ── command
//   Helve ── launcher ── command                                        at level off, or without PID
//   namespaces Helve ── fork server, which forks every launcher (fork_server.h)
//
// All of them run Helve's own program: main() calls launcher_requested() before anything else.
#pragma once

namespace helve::process {

// argv[0] of a launcher.
inline constexpr const char* kLauncherName = "helve-launcher";

[[nodiscard]] bool launcher_requested(int argc, char** argv);

// Runs the fork server until Helve hangs up. Each forked launcher takes its plan and control socket from the
// descriptors of launcher_protocol.h and never writes to the command's streams.
int launcher_main();

}  // namespace helve::process
