// Sees to it that a command leaves no repository behind from which git would run something later, outside of
// the command's walls. Mounts keep hooks and settings of known repositories; this is for everything that
// mounts cannot do.
#pragma once

#include <string>
#include <vector>

#include "repository/repository_index.h"

namespace helve::repository {

// A repository as it was when a command began.
struct Guarded {
  Found found;
  bool has_common_directory = false;  // a file that makes git take its settings from elsewhere
  bool has_worktree_settings = false;
  std::string arms;  // a fingerprint of its hooks and of those of its settings that can name programs
};
[[nodiscard]] std::vector<Guarded> look_closely(const std::string& workspace,
                                                const std::vector<Found>& found);

struct Disarmed {
  std::string path;                  // of what was taken away or reduced, from the workspace on
  std::vector<std::string> dropped;  // settings that were taken out
};

struct Settled {
  std::vector<Disarmed> disarmed;
  // Repositories that were there before, and whose hooks or settings changed though no command could write
  // them: by the user, or by a trick. They are left as they are.
  std::vector<std::string> changed;
  std::string trouble;  // why something could not be settled; empty as a rule
};

// In repositories that are new since `before`, or in the place of another one, hooks are moved into
// `quarantine` (absolute; made when needed) and settings reduced to harmless ones, with the old file in the
// quarantine too.
[[nodiscard]] Settled settle(const std::string& workspace, const std::vector<Guarded>& before,
                             const RepositoryIndex::Look& after, const std::string& quarantine);

}  // namespace helve::repository
