// The walls around a process that stays longer than a command: that of a plugin.
#pragma once

#include <string>

#include "helve/settings.h"
#include "sandbox/plan.h"

namespace helve {

struct ProcessWish {
  std::string workspace = {};        // an absolute path
  std::string state_directory = {};  // Helve's own
  std::string home = {};             // where its files lie, which it can always read
  bool writes = false;               // in the workspace, as far as the settings allow commands to
  bool network = false;
};

// Made when it is started: repositories and sockets come and go. Not for settings whose sandbox is off.
[[nodiscard]] sandbox::Plan plan_process(const Settings::Sandbox& settings, const ProcessWish& wish);

}  // namespace helve
