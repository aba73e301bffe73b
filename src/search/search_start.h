// Where a search begins: a directory to walk through, or one file.
#pragma once

#include <optional>
#include <string>

#include "helve/error.h"
#include "workspace/root.h"

namespace helve::search {

struct SearchStart {
  std::optional<OpenFile> file;  // nothing: a directory
  std::string directory = {};    // resolved, relative to the root; empty is the root itself
};

// NOT_FOUND names the closest paths; what is neither file nor directory is refused.
[[nodiscard]] Expected<SearchStart> find_start(const Root& root, const std::string& path);

}  // namespace helve::search
