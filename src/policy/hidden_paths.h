// What read rules keep out of the answers of grep, find and ls, and out of a sandbox's sight.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/rule_set.h"

namespace helve::policy {

// Made from the rules once; a value that may be used from all threads. A search over a directory is allowed
// although something in it may not be read: that something is left out. Ask rules count as well, since nobody
// was asked.
class HiddenPaths {
 public:
  HiddenPaths(const RuleSet& rules, const Surroundings& surroundings);

  [[nodiscard]] bool empty() const { return specs_.empty(); }
  // True when the entry has to be left out; `path` is relative to the workspace, or absolute. Follows links.
  [[nodiscard]] bool hides(std::string_view path) const;
  // For FileGlobs of the search engines: each with `!` at the front. Saves the walker from entering what is
  // hidden; links and hard links are for hides() to find.
  [[nodiscard]] const std::vector<std::string>& exclusions() const { return exclusions_; }
  // Files and directories that deny rules spell out without wildcards, or up to a closing /**: what a sandbox
  // can hide.
  [[nodiscard]] const std::vector<std::string>& for_sandbox() const { return for_sandbox_; }
  // The other deny rules for reading, as globs of the search engines.
  [[nodiscard]] const std::vector<std::string>& globs_for_sandbox() const { return globs_for_sandbox_; }
  // Files and directories that deny rules for writing spell out.
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
