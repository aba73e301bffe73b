#include "core/engines.h"

#include <cstdlib>

namespace helve {

Expected<Root> open_workspace(const std::string& path, const Settings::Workspace& settings) {
  RootOptions options;
  if (settings.symlinks == SymlinkPolicy::kDeny) options.symlinks = Symlinks::kDeny;
  options.refuse_parent_components = settings.parent_paths == ParentPathPolicy::kDeny;
  if (const char* home = std::getenv("HOME"); home != nullptr) options.home_directory = home;
  auto root = Root::open(path, options);
  if (!root && root.error().hint.empty())
    root.error().hint = "Name the directory that the tools may touch as the workspace.";
  return root;
}

}  // namespace helve
