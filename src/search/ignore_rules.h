// Which entries of a directory tree the ignore files leave out: .gitignore, .ignore and their kin, from the
// outermost directory to the innermost.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "search/rule_list.h"

namespace helve::search {

// Where git's settings for all repositories of a user are looked for.
struct IgnoreEnvironment {
  std::string home = {};             // $HOME; empty: no settings there
  std::string xdg_config_home = {};  // $XDG_CONFIG_HOME; empty: ~/.config

  [[nodiscard]] static IgnoreEnvironment of_process();
};

// What a directory listing tells about ignore files.
struct IgnoreFilesSeen {
  bool rgignore = false;
  bool ignore = false;
  bool gitignore = false;
  bool git = false;  // .git, of any type
  bool jj = false;

  [[nodiscard]] bool any() const { return rgignore || ignore || gitignore || git || jj; }
  // Takes notice of an entry's name.
  void see(std::string_view name);
};

// The rules of one directory, linked to those of the directories around it. Never changes after it was made;
// shared by all threads.
class IgnoreLevel;
using IgnoreLevelPtr = std::shared_ptr<const IgnoreLevel>;

// The rules of all directories above `directory`, an absolute path without links, and git's settings for the
// user, whose anchored globs are taken from `workspace_root` on.
[[nodiscard]] IgnoreLevelPtr ignore_rules_above(std::string_view directory, std::string_view workspace_root,
                                                const IgnoreEnvironment& environment);

// The rules inside a directory: the outer level itself when the directory adds nothing. `path` is its
// absolute path without `/` at the end.
[[nodiscard]] IgnoreLevelPtr ignore_rules_inside(const IgnoreLevelPtr& outer, int directory_fd,
                                                 std::string_view path, const IgnoreFilesSeen& seen);

// Whether any rule applies inside the level; judge() would be a waste otherwise.
[[nodiscard]] bool has_rules(const IgnoreLevel* level);
// `candidate` has the entry's absolute path. Null levels have no opinion.
[[nodiscard]] Verdict judge(const IgnoreLevel* level, const Candidate& candidate);

}  // namespace helve::search
