// Suggests the rules that "always allow" adds: the narrowest useful ones. The user sees them first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/decide.h"

namespace helve::policy {

struct Suggestion {
  std::vector<std::string> rules = {};  // for the allow list, one per part that no rule allows yet
  std::string obstacle = {};            // when `rules` is empty: why no rule would help
};

// Suggests only rules that would allow the call.
//   exec   a prefix for programs with subcommands (`git diff:*`, `npm run build:*`), otherwise exactly this
//          command; never a prefix that lets a shell, an interpreter or a wrapper run anything
//   files  the file itself
//   other  the tool
[[nodiscard]] Suggestion suggest_rules(const RequestedCall& call, Mode mode, const RuleSet& rules,
                                       const Surroundings& surroundings);

}  // namespace helve::policy
