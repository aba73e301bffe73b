#include "policy/hidden_paths.h"

#include <algorithm>

#include "base/strings.h"

namespace helve::policy {

HiddenPaths::HiddenPaths(const RuleSet& rules, const Surroundings& surroundings)
    : workspace_(surroundings.workspace) {
  for (const Rule& rule : rules) {
    if (!rule.restricts() || !rule.guards_reading() || !rule.path) continue;
    specs_.push_back(*rule.path);
    if (const auto glob = rule.path->workspace_glob()) exclusions_.push_back("!" + *glob);
    if (const std::string literal = rule.path->literal_path();
        rule.verdict == Verdict::kDeny && !literal.empty())
      for_sandbox_.push_back(literal);
  }
}

bool HiddenPaths::hides(std::string_view path) const {
  if (specs_.empty()) return false;
  const Location location = locate(path, workspace_);
  return std::ranges::any_of(
      specs_, [&](const PathSpec& spec) { return spec.covers(location, PathSpec::Extent::kItself); });
}

}  // namespace helve::policy
