// What the program tells the shell.
#pragma once

namespace helve::cli {

enum ExitCode {
  kOk = 0,
  kToolError = 1,      // the call was answered with an error
  kUsage = 2,          // the command line was not understood
  kSetup = 3,          // configuration, workspace or machine are not as they must be
  kStopped = 4,        // an agent came to one of its limits
  kTimedOut = 124,     // of helve exec: the command's time was up
  kSignalled = 128,    // of helve exec: and the number of the signal that ended the command
  kInterrupted = 130,  // Ctrl-C
};

}  // namespace helve::cli
