// Parses a pattern of an ignore file as git does.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "search/glob_parse.h"

namespace helve::search {

// Git's patterns differ from other globs: they match bytes, a class may have escapes, names of classes and
// backward ranges, and a pattern with a mistake matches nothing (nullopt).
//
// The syntax is kGitPath or kGitName: the pattern is matched against a path or a name. With `ignore_case`,
// the text is in lower case.
[[nodiscard]] std::optional<std::vector<GlobToken>> parse_git_glob(std::string_view pattern,
                                                                   const GlobOptions& options);

}  // namespace helve::search
