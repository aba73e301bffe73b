// Takes the programs out of repositories that a command has made, so that git runs nothing from them later,
// outside of the command's walls.
#pragma once

#include <string>
#include <vector>

#include "helve/error.h"
#include "repository/repository_index.h"

namespace helve::repository {

struct Disarmed {
  std::string path;                  // of the hook or the settings, from the workspace on
  std::vector<std::string> dropped;  // settings that were taken out
};

// Compares two looks at a workspace. In what is new, hooks are moved into `quarantine` (absolute; made when
// needed) and settings reduced to harmless ones, with the old file in the quarantine too.
[[nodiscard]] Expected<std::vector<Disarmed>> disarm_new(const std::string& workspace,
                                                         const std::vector<Found>& before,
                                                         const std::vector<Found>& after,
                                                         const std::string& quarantine);

}  // namespace helve::repository
