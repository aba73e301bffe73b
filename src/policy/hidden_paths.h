// The paths that read rules hide from grep, find and ls, and that a sandbox must protect.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/rule_set.h"

namespace helve::policy {

// Computed once from the rules; may be used from all threads. A search may cover a directory with unreadable
// files: the results leave them out. Ask rules hide files too, because the search did not ask about them.
class HiddenPaths {
 public:
  HiddenPaths(const RuleSet& rules, const Surroundings& surroundings);

  [[nodiscard]] bool empty() const { return specs_.empty(); }
  // True when results must leave out `path` (absolute, or relative to the workspace). Follows symlinks.
  [[nodiscard]] bool hides(std::string_view path) const;
  // Globs with a leading `!` for the search engines, so that the walker skips hidden directories. Symlinks
  // and hard links still need hides().
  [[nodiscard]] const std::vector<std::string>& exclusions() const { return exclusions_; }
  // Files and directories that deny rules for reading name without wildcards, or before a closing /**. A
  // sandbox hides them.
  [[nodiscard]] const std::vector<std::string>& for_sandbox() const { return for_sandbox_; }
  // The other deny rules for reading, as globs.
  [[nodiscard]] const std::vector<std::string>& globs_for_sandbox() const { return globs_for_sandbox_; }
  // Files and directories that deny rules for writing name without wildcards.
  [[nodiscard]] const std::vector<std::string>& read_only_for_sandbox() const {
    return read_only_for_sandbox_;
  }

 private:
  std::string workspace_;
  std::vector<PathSpec> specs_;
  std::vector<std::string> exclusions_;
  std::vector<std::string> for_sandbox_;
  std::vector<std::string> globs_for_sandbox_;
  std::vector<std::string> read_only_for_sandbox_;
};

}  // namespace helve::policy
