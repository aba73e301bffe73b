// How far a path leads that may pass links and may not exist: what protecting such a path has to start from.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve::sandbox {

struct PathWalk {
  std::vector<UniqueFd> links = {};  // handles to the links on the way; whoever changes one changes the path
  UniqueFd last = {};                // the deepest thing that exists
  std::string last_path = {};        // its path without links
  struct stat status = {};           // of `last`
  std::string missing = {};          // the name that `last` lacks, if it is a directory and the path goes on
  bool goes_on = false;              // more names follow after `missing` (or after a file in the way)
};

// Links are followed component by component, each handle opened without following.
[[nodiscard]] Expected<PathWalk> walk_path(std::string_view path);

}  // namespace helve::sandbox
