// The sandbox of a long-running service process, such as a plugin.
#pragma once

#include <string>
#include <vector>

#include "helve/error.h"
#include "helve/settings/permissions.h"
#include "helve/settings/sandbox.h"
#include "sandbox/plan.h"

namespace helve::core {

struct ProcessWish {
  std::string workspace = {};                      // an absolute path
  std::string state_directory = {};                // Helve's own
  std::string home = {};                           // directory of its files, which it can always read
  std::vector<std::string> trusted_programs = {};  // that run without a sandbox, so it cannot write them
  bool writes = false;  // may write the workspace, as far as the settings allow it to jobs
  bool network = false;
};

// Call it at each start, because repositories and sockets change. Requires a sandbox level other than off.
// Fails if a file that no tool may read cannot be hidden.
[[nodiscard]] Expected<sandbox::Plan> plan_process(const SandboxSettings& settings,
                                                   const PermissionSettings& permissions,
                                                   const ProcessWish& wish);

}  // namespace helve::core
