// The rules that "always allow" would write: the narrowest that are still of use, shown before they are
// written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/decide.h"

namespace helve::policy {

struct Suggestion {
  std::vector<std::string> rules = {};  // for the allow list, one per part that nothing allows yet
  std::string obstacle = {};            // why no rule would help, when there are none
};

// Only rules with which the call would be allowed are suggested.
//   exec   two words for programs with subcommands (`git diff:*`, `npm run build:*`: what follows `run`
//   counts), else
//          exactly this command; never a prefix that lets a shell, an interpreter or a wrapper run anything
//   files  the file itself
//   other  the tool
[[nodiscard]] Suggestion suggest_rules(const Call& call, Mode mode, const RuleSet& rules,
                                       const Surroundings& surroundings);

// Programs that run what they are given: shells, languages, wrappers.
[[nodiscard]] bool is_interpreter(std::string_view program);

}  // namespace helve::policy
