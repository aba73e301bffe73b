#include "policy/hidden_paths.h"

#include <algorithm>

#include "base/strings.h"

namespace helve::policy {

HiddenPaths::HiddenPaths(const RuleSet& rules, const Surroundings& surroundings)
    : workspace_(surroundings.workspace) {
  for (const Rule& rule : rules) {
    if (!rule.restricts() || !rule.path) continue;
    const std::string literal = rule.path->literal_path();
    const bool denies = rule.verdict == Verdict::kDeny;
    if (rule.guards_reading()) {
      specs_.push_back(*rule.path);
      const auto glob = rule.path->workspace_glob();
      if (glob) exclusions_.push_back("!" + *glob);
      if (denies && !literal.empty())
        for_sandbox_.push_back(literal);
      else if (denies && glob)
        globs_for_sandbox_.push_back(*glob);
    } else if (denies && rule.guards_writing() && !literal.empty()) {
      read_only_for_sandbox_.push_back(literal);
    }
  }
}

bool HiddenPaths::hides(std::string_view path) const {
  if (specs_.empty()) return false;
  const Location location = locate(path, workspace_);
  return std::ranges::any_of(
      specs_, [&](const PathSpec& spec) { return spec.covers(location, PathSpec::Extent::kItself); });
}

}  // namespace helve::policy
