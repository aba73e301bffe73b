// Keeps protected paths read-only while a job or plugin may write the rest of the workspace.
#pragma once

#include <string>
#include <vector>

#include "helve/error.h"
#include "policy/hidden_paths.h"
#include "repository/repository_index.h"
#include "sandbox/plan.h"
#include "workspace/root.h"

namespace helve::core {

// The paths of workspace/protected_paths.h except git's, because git must work: see protect_repositories(). A
// rule for the top of the workspace protects existing paths; missing ones only where creating them would have
// an effect.
void protect_settings(sandbox::Plan& plan, const std::string& workspace);

// Protects files that Helve runs without a sandbox, given as named: with symlinks, and maybe missing.
void protect_programs(sandbox::Plan& plan, const std::vector<std::string>& programs);

// Protects whatever makes git run programs in these repositories.
void protect_repositories(sandbox::Plan& plan, const std::string& workspace,
                          const std::vector<repository::Found>& repositories);

// Also protects parent directories: moving one away and recreating it would bypass the protection.
void pin_ancestors(sandbox::Plan& plan, const std::string& workspace, const std::vector<std::string>& paths);

// Hides what deny rules for reading name, and the files that their globs match now. Fails if something cannot
// be hidden.
[[nodiscard]] Expected<void> hide_unreadable(sandbox::Plan& plan, const workspace::Root& root,
                                             const policy::HiddenPaths& hidden);

}  // namespace helve::core
