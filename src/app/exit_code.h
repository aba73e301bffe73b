// The exit codes of the program.
#pragma once

namespace helve::app {

enum ExitCode {
  kOk = 0,
  kToolError = 1,      // the call failed
  kUsage = 2,          // invalid command line
  kSetup = 3,          // invalid configuration, workspace or machine
  kStopped = 4,        // an agent reached one of its limits
  kTimedOut = 124,     // helve exec: the command timed out
  kSignalled = 128,    // helve exec: plus the number of the signal that ended the command
  kInterrupted = 130,  // Ctrl-C
};

}  // namespace helve::app
