// Which part of the workspace a call searches: the start path and the globs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "helve/error.h"
#include "search/glob_rules.h"
#include "workspace/root.h"

namespace helve::search {

// Chooses files by the globs of a call. A file is chosen if it matches one of the globs (or there are none)
// and no glob that begins with `!`.
//
// Unlike ripgrep's -g, no glob includes files that ignore files exclude: `*` does not bring back
// node_modules. A glob with a path is relative to the workspace or to the start of the search. Immutable;
// usable from all threads.
class FileChoice {
 public:
  [[nodiscard]] static Expected<FileChoice> compile(std::span<const std::string> globs,
                                                    std::string_view start);

  // Call only for entries that exclusions() does not exclude. `path` is relative to the workspace.
  [[nodiscard]] bool chooses(std::string_view path, bool is_directory = false) const {
    return wanted_.empty() || wanted_.judge(path, is_directory) == Verdict::kTake;
  }
  // For the walker, which does not enter excluded directories. Null if nothing is excluded.
  [[nodiscard]] const FileGlobs* exclusions() const { return unwanted_.empty() ? nullptr : &unwanted_; }

 private:
  FileGlobs wanted_;
  FileGlobs unwanted_;
};

struct SearchStart {
  std::optional<workspace::OpenFile> file;  // nullopt: the search starts at `directory`
  std::string directory = {};               // resolved, relative to the root; empty: the root itself
};

// Resolves where a search starts: a directory or one file. NOT_FOUND errors name the closest paths.
[[nodiscard]] Expected<SearchStart> find_start(const workspace::Root& root, const std::string& path);

}  // namespace helve::search
