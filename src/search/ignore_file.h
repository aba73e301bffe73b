// Reads ignore files and finds the ones that git's configuration names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "search/glob_rules.h"

namespace helve::search {

// Reads the rules as git does. A rule with a mistake matches nothing.
[[nodiscard]] RuleList parse_ignore_file(std::string_view text, LetterCase letters = LetterCase::kDiffers);

// Reads a small regular file below an open directory or at an absolute path. Returns nullopt if it cannot be
// read. Never blocks.
enum class Links { kRefuse, kFollow };
[[nodiscard]] std::optional<std::string> read_small_file(int directory_fd, const std::string& path,
                                                         Links links);

// Returns an empty list if the file does not exist.
[[nodiscard]] RuleList read_ignore_file(int directory_fd, const std::string& path, Links links,
                                        LetterCase letters = LetterCase::kDiffers);

// Where to look for the user's git configuration.
struct IgnoreEnvironment {
  std::string home = {};             // $HOME; empty: no configuration there
  std::string xdg_config_home = {};  // $XDG_CONFIG_HOME; empty: ~/.config
  std::string system_config = {};    // the configuration of all users; empty: none

  [[nodiscard]] static IgnoreEnvironment of_process();
};

// What a git configuration says about ignoring; nullopt where it says nothing.
struct IgnoreSettings {
  std::optional<std::string> excludes_file = {};  // core.excludesFile; a relative path: to the repository
  std::optional<LetterCase> letters = {};         // core.ignoreCase

  bool operator==(const IgnoreSettings&) const = default;
};
[[nodiscard]] IgnoreSettings ignore_settings_in(std::string_view configuration, std::string_view home);
// From the user's and the system's configuration, or git's default for the excludes file; empty if there is
// none.
[[nodiscard]] IgnoreSettings ignore_settings_of_user(const IgnoreEnvironment& environment);

// The directory that holds `info/exclude` and `config` of the repository whose `.git` is in a directory:
// relative to that directory or absolute; empty if there is none. In worktrees and submodules, `.git` is a
// file that points to the repository.
[[nodiscard]] std::string git_directory_of(int directory_fd);

}  // namespace helve::search
