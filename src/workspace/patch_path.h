// The file names in the headers of unified diffs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace helve {

// The name at the start of `text`, of which it takes away what it used: C-quoted as git does it, or
// everything up to a tab. None when a quoted name does not end, has an unknown escape or holds a NUL.
[[nodiscard]] std::optional<std::string> take_patch_path(std::string_view& text);

inline constexpr std::string_view kDevNull = "/dev/null";

struct PathPair {
  std::string old_path;
  std::string new_path;
};

// The two names behind `diff --git `, as written; none when spaces leave in doubt where the first one ends.
[[nodiscard]] std::optional<PathPair> split_git_paths(std::string_view text);

// Takes off the prefixes a/ and b/, or git's others (i/ w/ c/ o/) when `is_git`. One of the two may be
// /dev/null.
void strip_prefixes(PathPair& paths, bool is_git);

}  // namespace helve
