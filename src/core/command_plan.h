// From a command line and the settings to everything that the launcher has to know.
#pragma once

#include <string>
#include <vector>

#include "core/engines.h"
#include "helve/session.h"
#include "process/launch_plan.h"
#include "repository/settle.h"

namespace helve {

struct PlannedCommand {
  process::Launch launch;
  std::string directory;                          // where it runs, as people should see it
  std::vector<std::string> removed_secrets;       // names of variables that were kept from it
  std::vector<repository::Guarded> repositories;  // as they are now, to be compared at the end
};

// What is to run. Never more than the settings allow, unless a person was asked about the network.
struct CommandWish {
  std::string command = {};            // a line for the shell, or only for people when there are arguments
  std::vector<std::string> argv = {};  // run without a shell; the program first, as an absolute path
  std::string directory = {};          // relative to the workspace or absolute inside it
  bool read_only = false;              // nothing may be written, whatever the settings allow
  bool network = false;                // may use the network
  bool offline = false;                // may not, whatever the settings allow
};
// Where it would run, relative to the workspace.
[[nodiscard]] Expected<std::string> command_directory(const Engines& engines, const std::string& wanted);
[[nodiscard]] Expected<PlannedCommand> plan_command(Engines& engines, const Session& session,
                                                    const CommandWish& wish);

[[nodiscard]] sandbox::Level sandbox_level(SandboxLevel level);

// A path in the settings, "~/x" or relative to the workspace, made real; empty for what does not exist.
[[nodiscard]] std::string settings_path(const std::string& path, const std::string& workspace);

}  // namespace helve
