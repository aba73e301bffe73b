// Shared by find and grep: lists of globs, and the report of skipped files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/walker.h"

namespace helve::toolkit {

// "*.h, src/{a,b}/**" → the two globs: commas separate unless they are in braces, groups, brackets or behind
// a backslash. Paths that begin with the workspace's own become relative to it.
[[nodiscard]] std::vector<std::string> split_globs(std::string_view list, std::string_view workspace);

// "2 entries are ignored (ignored: true looks there too) and 1 is hidden (hidden: true)."; empty when nothing
// was skipped.
[[nodiscard]] std::string describe_left_out(const search::WalkReport& walk);
// "Could not read build/x: Permission denied."; empty when everything could be read.
[[nodiscard]] std::string describe_unreadable(const search::WalkReport& walk);

}  // namespace helve::toolkit
