// Settings for hooks: the member `hooks` of Settings (helve/settings.h).
#pragma once

#include <string>
#include <vector>

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// One program that runs before or after calls.
struct HookProgram {
  std::string match = "*";
  std::string command;
  int time_limit_ms = 60'000;

  void describe(ParamSpec& p) {
    p.optional("match", match, "Tools it runs for: exec|write, mcp__*, or * for all.");
    p.required("command", command, "Command to run; it gets the call as JSON on stdin.", {.min_length = 1});
    p.optional("time_limit_ms", time_limit_ms, "Time limit.", {.min = 1, .max = 3'600'000});
  }
};

// Programs that run before and after calls.
struct HookSettings {
  std::vector<HookProgram> before;
  std::vector<HookProgram> after;
  bool fail_closed = false;

  void describe(ParamSpec& p) {
    p.optional("before", before, "Programs to run before a call; exit code 2 blocks it.");
    p.optional("after", after, "Programs to run after a call.");
    p.optional("fail_closed", fail_closed, "Block the call when a hook fails or times out.");
  }
};

}  // namespace helve
