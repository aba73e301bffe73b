// Finds the files behind the symlinks of a walk.
#pragma once

#include <functional>
#include <string>

#include "search/search_scope.h"
#include "search/walker.h"
#include "workspace/root.h"

namespace helve::search {

struct LinkedFile {
  workspace::OpenFile file;
  std::string path;  // through the link, not through its target
};

// Calls `use` for the file that the link at `path` leads to, or for each file in its directory and behind the
// links in there, in walk order, until it returns false. Skips links that leave the workspace, are broken, or
// lead back to a directory that contains them. `options` are those of the walk that found the link.
void follow_link(const workspace::Root& root, const std::string& path, const WalkOptions& options,
                 const std::function<bool(LinkedFile)>& use);

}  // namespace helve::search
