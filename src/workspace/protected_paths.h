// Paths inside the workspace that no tool may write, because other programs would act on them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"

namespace helve::workspace {

// A rule covers its path and everything below it, whether it exists or not, in upper or lower case (.GIT is
// .git on some file systems).
//   `.git`        at any depth
//   `a/b`         these components in a row, at any depth
//   `/.bashrc`    at the top of the workspace
//   `~/.bashrc`   in the home directory, if that is in the workspace
struct ProtectedRule {
  std::string pattern;
  std::string reason;  // completes "… is protected: "

  bool operator==(const ProtectedRule&) const = default;
};

// Why a path cannot be written: a rule protects it, or it is in a directory that can only be read.
[[nodiscard]] Error protected_error(std::string_view path, const ProtectedRule& rule);
[[nodiscard]] Error read_only_error(std::string_view path);

// Git's internals, Helve's configuration and state, shell start-up files.
[[nodiscard]] std::vector<ProtectedRule> default_protected_rules();

// A set of rules, prepared for one workspace. A value; const functions are thread-safe.
class ProtectedPaths {
 public:
  ProtectedPaths() = default;
  // `home` is the path of the home directory below the root, if it is there. Empty: it is the root.
  ProtectedPaths(std::span<const ProtectedRule> rules, const std::optional<std::vector<std::string>>& home);

  // The rule that covers a path, given by its resolved components; nullptr when it may be written.
  [[nodiscard]] const ProtectedRule* find(std::span<const std::string> components) const;

 private:
  struct PreparedRule {
    ProtectedRule rule;
    bool anchored;
    std::vector<std::string> components;  // lower case
  };
  std::vector<PreparedRule> rules_;
};

// True if the open directory has a HEAD that git accepts: a symlink, a reference or a hash.
[[nodiscard]] bool has_git_head(int directory_fd);

// Protects bare git repositories, which are not called `.git` and are recognized by their content, as git
// does. Returns why a path below the open directory `base`, given by its resolved components, may not be
// written:
//   - it is among the hooks and settings of a bare repository;
//   - it would complete a repository whose hooks and settings already exist.
// Other files of a repository are only data. Accesses the disk only for names that matter to git.
[[nodiscard]] std::optional<ProtectedRule> find_git_protection(int base,
                                                               std::span<const std::string> components);

}  // namespace helve::workspace
