// Lists the files of a walk by their time, last modified first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/search_scope.h"
#include "search/walker.h"
#include "workspace/root.h"

namespace helve::search {

struct NewestFiles {
  struct File {
    std::string path;
    std::int64_t modified = 0;  // nanoseconds since 1970
  };
  std::vector<File> files = {};
  WalkReport walk = {};
};

// Links are followed if `options` delivers them.
[[nodiscard]] Expected<NewestFiles> list_newest_files(const workspace::Root& root, const WalkOptions& options,
                                                      const FileChoice& choice);

}  // namespace helve::search
