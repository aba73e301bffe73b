// Which entries of a directory tree the ignore files exclude.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "search/glob_rules.h"
#include "search/ignore_file.h"
#include "workspace/root.h"

namespace helve::search {

// Which ignore files a directory contains.
struct IgnoreFilesSeen {
  bool rgignore = false;
  bool ignore = false;
  bool gitignore = false;
  bool git = false;  // .git, of any type
  bool jj = false;

  [[nodiscard]] bool any() const { return rgignore || ignore || gitignore || git || jj; }
  // Records the name of an entry.
  void note(std::string_view name);
};

// The rules of one directory, linked to those of its parent directories. Immutable; shared by all threads.
class IgnoreLevel;
using IgnoreLevelPtr = std::shared_ptr<const IgnoreLevel>;

// The rules of all directories above `directory` (an absolute path without symlinks) and of the git
// configuration. The latter apply to each repository, relative to its top directory.
[[nodiscard]] IgnoreLevelPtr ignore_rules_above(std::string_view directory,
                                                const IgnoreEnvironment& environment);

// The rules inside a directory; returns `outer` if the directory adds none. `path` is its absolute path
// without a trailing `/`.
[[nodiscard]] IgnoreLevelPtr ignore_rules_inside(const IgnoreLevelPtr& outer, int directory_fd,
                                                 std::string_view path, const IgnoreFilesSeen& seen);

// Whether any rule applies. If not, judge() need not be called.
[[nodiscard]] bool has_rules(const IgnoreLevel* level);
// `candidate` holds the entry's absolute path. Returns kNone for a null level.
[[nodiscard]] Verdict judge(const IgnoreLevel* level, const Candidate& candidate);

// Tells whether a walk would skip a single entry, for callers that list directories themselves. Reads the
// ignore files of each directory once. Not thread-safe; the root must outlive it.
class IgnoreLookup {
 public:
  explicit IgnoreLookup(const workspace::Root& root,
                        IgnoreEnvironment environment = IgnoreEnvironment::of_process());

  // True for entries that are hidden, ignored or named `.git`. `path` is relative to the root.
  [[nodiscard]] bool excludes(std::string_view path, bool is_directory);

 private:
  const IgnoreLevelPtr& rules_inside(std::string_view directory);

  const workspace::Root& root_;
  const IgnoreEnvironment environment_;
  std::map<std::string, IgnoreLevelPtr, std::less<>> levels_;  // by directory; "" is the root
};

}  // namespace helve::search
