// Turns a command line and the settings into everything that the launcher needs.
#pragma once

#include <string>
#include <vector>

#include "core/engines.h"
#include "helve/api.h"
#include "helve/session.h"
#include "process/launcher_protocol.h"
#include "repository/git_safety.h"

namespace HELVE_API helve {
enum class SandboxLevel;
}

namespace helve::core {

struct PlannedCommand {
  process::Launch launch;
  std::string directory;                          // working directory, for display
  std::vector<std::string> removed_secrets;       // names of variables that were removed
  std::vector<repository::Guarded> repositories;  // as they are now, to be compared at the end
};

// A command to run. Never allows more than the settings, except for network access that the user approved.
struct CommandWish {
  std::string command = {};            // a shell command line; with argv only for display
  std::vector<std::string> argv = {};  // run without a shell; starts with the program's absolute path
  std::string directory = {};          // relative to the workspace or absolute inside it
  bool read_only = false;              // forbids all writes, whatever the settings allow
  bool network = false;                // may use the network
  bool offline = false;                // forbids the network, whatever the settings allow
};
// The working directory, relative to the workspace.
[[nodiscard]] Expected<std::string> command_directory(const Engines& engines, const std::string& wanted);
[[nodiscard]] Expected<PlannedCommand> plan_command(Engines& engines, const Session& session,
                                                    const CommandWish& wish);

[[nodiscard]] sandbox::Level sandbox_level(SandboxLevel level);

// Resolves a path from the settings ("~/x", or relative to the workspace); empty if it does not exist.
[[nodiscard]] std::string settings_path(const std::string& path, const std::string& workspace);

}  // namespace helve::core
