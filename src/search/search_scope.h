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
  struct Options {
    GlobOptions globs = {};
    // More exclusions, which begin with `!` and are always plain and case-sensitive: those of permission
    // rules.
    std::span<const std::string> rules = {};
    // File types: a file must match one of `types` (if there are any) and none of `other_types`.
    std::span<const std::string> types = {};
    std::span<const std::string> other_types = {};
  };
  [[nodiscard]] static Expected<FileChoice> compile(std::span<const std::string> globs,
                                                    std::string_view start, const Options& options);
  [[nodiscard]] static Expected<FileChoice> compile(std::span<const std::string> globs,
                                                    std::string_view start) {
    return compile(globs, start, {});
  }

  // Call only for entries that exclusions() does not exclude. `path` is relative to the workspace.
  [[nodiscard]] bool chooses(std::string_view path, bool is_directory = false) const {
    if (!wanted_.empty() && wanted_.judge(path, is_directory) != Verdict::kTake) return false;
    return is_directory || (types_.empty() && other_types_.empty()) || has_type(path);
  }
  // Whether chooses() accepts every file.
  [[nodiscard]] bool chooses_all() const { return wanted_.empty() && types_.empty() && other_types_.empty(); }
  // For the walker, which does not enter excluded directories. Null if nothing is excluded.
  [[nodiscard]] const FileGlobs* exclusions() const { return unwanted_.empty() ? nullptr : &unwanted_; }
  // The files of the wanted types, which are searched even if they are hidden: .bashrc is a shell script.
  // Null if no type is wanted.
  [[nodiscard]] const FileGlobs* types() const { return types_.empty() ? nullptr : &types_; }

 private:
  [[nodiscard]] bool has_type(std::string_view path) const;

  FileGlobs wanted_;
  FileGlobs unwanted_;
  FileGlobs types_;
  FileGlobs other_types_;
};

struct SearchStart {
  std::optional<workspace::OpenFile> file;  // nullopt: the search starts at `directory`
  std::string directory = {};               // resolved, relative to the root; empty: the root itself
  std::string name = {};                    // as the caller named it, which may be through a link

  // Paths in answers begin with the name instead of the directory, and paths from callers the other way
  // round.
  [[nodiscard]] std::string shown(std::string path) const { return moved(std::move(path), directory, name); }
  [[nodiscard]] std::string resolved(std::string path) const {
    return moved(std::move(path), name, directory);
  }

 private:
  static std::string moved(std::string path, std::string_view from, std::string_view to);
};

// Resolves where a search starts: a directory or one file. NOT_FOUND errors name the closest paths.
[[nodiscard]] Expected<SearchStart> find_start(const workspace::Root& root, const std::string& path);

}  // namespace helve::search
