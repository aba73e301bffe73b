// What of a workspace stays as it is while a command or a plugin may write the rest.
#pragma once

#include <string>
#include <vector>

#include "repository/repository_index.h"
#include "sandbox/plan.h"

namespace helve {

// The paths of workspace/protected_paths.h, but for git's: git itself must work, see protect_repositories().
// A rule for the top of the workspace keeps what is there; what is not there is kept from being made only
// where it would count.
void protect_settings(sandbox::Plan& plan, const std::string& workspace);

// What makes git run programs, in these repositories.
void protect_repositories(sandbox::Plan& plan, const std::string& workspace,
                          const std::vector<repository::Found>& repositories);

// A protected place is also lost when a directory above it is moved away and made anew.
void pin_ancestors(sandbox::Plan& plan, const std::string& workspace, const std::vector<std::string>& paths);

}  // namespace helve
