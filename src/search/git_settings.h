// Where git keeps the ignore rules that are not in the tree: per repository and per user.
#pragma once

#include <string>
#include <string_view>

#include "search/ignore_rules.h"

namespace helve::search {

// core.excludesFile of the user's settings, or its default; empty when there can be none. Relative paths are
// taken from `workspace_root` on.
[[nodiscard]] std::string excludes_file_of_user(const IgnoreEnvironment& environment,
                                                std::string_view workspace_root);
// The value of core.excludesFile in a git configuration file; empty when it is not set.
[[nodiscard]] std::string excludes_file_in(std::string_view configuration, std::string_view home);

// info/exclude of the repository whose `.git` is in a directory: its path from there on, or absolute. A
// `.git` file leads elsewhere, for worktrees and submodules.
[[nodiscard]] std::string exclude_file_of_repository(int directory_fd);

}  // namespace helve::search
