// Reads ignore files and finds the ones that git's configuration names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "search/glob_rules.h"

namespace helve::search {

// Invalid globs are skipped, as in git.
[[nodiscard]] RuleList parse_ignore_file(std::string_view text);

// Reads a small regular file below an open directory or at an absolute path. Returns nullopt if it cannot be
// read. Never blocks.
[[nodiscard]] std::optional<std::string> read_small_file(int directory_fd, const std::string& path);

// Returns an empty list if the file does not exist.
[[nodiscard]] RuleList read_ignore_file(int directory_fd, const std::string& path);

// Where to look for the user's git configuration.
struct IgnoreEnvironment {
  std::string home = {};             // $HOME; empty: no configuration there
  std::string xdg_config_home = {};  // $XDG_CONFIG_HOME; empty: ~/.config

  [[nodiscard]] static IgnoreEnvironment of_process();
};

// The user's core.excludesFile or its default; empty if neither can be determined. Relative paths are
// resolved against `workspace_root`.
[[nodiscard]] std::string excludes_file_of_user(const IgnoreEnvironment& environment,
                                                std::string_view workspace_root);
// The value of core.excludesFile in a git configuration file; empty if it is not set.
[[nodiscard]] std::string excludes_file_in(std::string_view configuration, std::string_view home);

// The path of info/exclude of the repository whose `.git` is in a directory: relative to that directory or
// absolute. In worktrees and submodules, `.git` is a file that points to the repository.
[[nodiscard]] std::string exclude_file_of_repository(int directory_fd);

}  // namespace helve::search
