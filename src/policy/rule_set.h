// All the rules that hold, read from the lists of settings files and checked while they are read.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "policy/rule.h"

namespace helve::policy {

// Rules in the order of their sources. A value; may be used from all threads.
using RuleSet = std::vector<Rule>;

// One rule as written, with calls that it must and must not fit: command lines for exec, paths for files,
// tool names for MCP servers, actions for process.
struct RuleEntry {
  std::string rule = {};
  std::vector<std::string> examples = {};
  std::vector<std::string> not_examples = {};
  std::optional<Origin> origin = {};  // without it, its place in the list
};

// The three lists of one source.
struct RuleLists {
  std::string source = {};  // a file, "user", …; named in errors and explanations
  std::vector<RuleEntry> allow = {};
  std::vector<RuleEntry> ask = {};
  std::vector<RuleEntry> deny = {};
  // Lists made for another program: a rule that cannot be read, or is about a tool unknown here, is no error
  // unless it restricts something that is known.
  bool foreign = false;
};

struct LoadedRules {
  RuleSet rules = {};
  std::vector<std::string> warnings = {};  // sentences for the person: dead rules, unknown tools
};

// The first error ends it: a rule that cannot be read, a restriction of a tool that is probably misspelled,
// an example that its rule does not fit.
[[nodiscard]] Expected<LoadedRules> load_rules(std::span<const RuleLists> sources,
                                               const RuleContext& context);

// Whether the rule fits an example, or anything else written like one.
[[nodiscard]] bool fits_example(const Rule& rule, std::string_view example, const Surroundings& surroundings);

// What can never matter: duplicates, allow rules under a restriction as wide, specs that nothing matches.
[[nodiscard]] std::vector<std::string> find_dead_rules(const RuleSet& rules);

}  // namespace helve::policy
