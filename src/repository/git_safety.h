// Prevents commands from leaving anything in a repository that git would later run outside of the sandbox.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repository/repository_index.h"

namespace helve::repository {

// The state of a repository when a command started.
struct Guarded {
  Found found;
  bool has_common_directory = false;  // `commondir`, which makes git read its settings from elsewhere
  bool has_worktree_settings = false;
  std::string fingerprint;  // hash of its hooks and of the settings that can name programs; empty if none
};
[[nodiscard]] std::vector<Guarded> snapshot_repositories(const std::string& workspace,
                                                         const std::vector<Found>& found);

struct Disarmed {
  std::string path;                  // what was removed or reduced, relative to the workspace
  std::vector<std::string> dropped;  // settings that were removed
};

struct Settled {
  std::vector<Disarmed> disarmed;
  // Repositories that existed before and whose hooks or settings changed although the command could not write
  // them. The user may have changed them. They are not modified.
  std::vector<std::string> changed;
  std::string trouble;  // why something could not be checked or disarmed; usually empty
};

// Disarms repositories that are new since `before` or replaced another one. Moves hooks into `quarantine`
// (absolute; created if needed) and reduces settings to harmless ones, keeping the old file in the
// quarantine. Mounts protect known repositories during the command; this covers what mounts cannot.
[[nodiscard]] Settled settle(const std::string& workspace, const std::vector<Guarded>& before,
                             const RepositoryIndex::Look& after, const std::string& quarantine);

// Paths through which git runs programs, for the git directory at this absolute path. A command must not
// change them, whether they exist or not. Includes submodules, worktrees, and hooks and settings elsewhere in
// the workspace that the settings name.
[[nodiscard]] std::vector<std::string> executable_parts(const std::string& git_directory,
                                                        const std::string& workspace);

// Replaces settings files that have several hard links by copies, because a command could write them through
// another link.
void break_hard_links(const std::string& git_directory);

}  // namespace helve::repository
