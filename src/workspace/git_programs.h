// Finds the files that git would run or take settings from, besides its own directories: hooks and programs
// that settings name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workspace/protected_paths.h"

namespace helve::workspace {

struct GitProgram {
  std::string path;     // absolute, without "." and ".."; it need not exist
  bool is_directory;    // everything below it counts
  std::string setting;  // core.hookspath, include.path, …

  bool operator==(const GitProgram&) const = default;
};

// For one repository: the settings of the repository, of the user, of the system and of the environment, with
// everything that they include. Paths outside of `within` are left out. A bare repository is its own working
// tree.
[[nodiscard]] std::vector<GitProgram> git_programs(const std::string& working_tree,
                                                   const std::string& git_directory,
                                                   const std::string& within);

// For a path below `root` (absolute): of all repositories that contain it, also of those above the root, and
// of the `nested` ones: absolute paths of `.git` or of bare repositories, whose settings can name any path.
[[nodiscard]] std::vector<GitProgram> git_programs_around(const std::string& root,
                                                          std::span<const std::string> components,
                                                          std::span<const std::string> nested = {});

// Why a path below `root` may not be written: git would run it or take settings from it.
[[nodiscard]] std::optional<ProtectedRule> find_git_program(const std::string& root,
                                                            std::span<const std::string> components,
                                                            std::span<const std::string> nested = {});

}  // namespace helve::workspace
