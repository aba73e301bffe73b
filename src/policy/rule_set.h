// Loads and checks permission rules from Helve's settings and from Claude Code's settings files.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "policy/rule.h"

namespace helve::policy {

// Rules in the order of their sources.
using RuleSet = std::vector<Rule>;

// One rule as written, with calls that it must and must not match: command lines for exec, paths for files,
// tool names for MCP servers, actions for process.
struct RuleEntry {
  std::string rule = {};
  std::vector<std::string> examples = {};
  std::vector<std::string> not_examples = {};
  std::optional<Origin> origin = {};  // default: the position in the list
};

struct RuleLists {
  std::string source = {};  // a file, "user", …; appears in errors and explanations
  std::vector<RuleEntry> allow = {};
  std::vector<RuleEntry> ask = {};
  std::vector<RuleEntry> deny = {};
  // Written for another program: an allow rule that cannot be parsed, and any rule about a tool that Helve
  // does not have, is a warning instead of an error.
  bool foreign = false;
};

struct LoadedRules {
  RuleSet rules = {};
  std::vector<std::string> warnings = {};  // sentences for the user: dead rules, unknown tools
};

// Stops at the first error: a rule that does not parse, a restriction of a tool whose name is probably
// misspelled, an example that its rule does not match.
[[nodiscard]] Expected<LoadedRules> load_rules(std::span<const RuleLists> sources,
                                               const RuleContext& context);

[[nodiscard]] bool matches_example(const Rule& rule, std::string_view example,
                                   const Surroundings& surroundings);

// Warnings about rules without effect: duplicates, allow rules below a restriction that is as wide, specs
// that match nothing. Also warns about allow rules that do not name a program.
[[nodiscard]] std::vector<std::string> find_dead_rules(const RuleSet& rules);

// Reads a list from the settings: each element is a rule or {rule, examples, notExamples}. `name` is used in
// errors: "permissions.allow".
[[nodiscard]] Expected<std::vector<RuleEntry>> read_rule_entries(const Json& list, std::string_view name);

struct ClaudeRules {
  RuleLists lists = {};
  std::vector<std::string> warnings = {};  // members of `permissions` that Helve does not use
};

// Reads `permissions.allow`, `ask` and `deny` of a settings.json and ignores the rest of the file.
[[nodiscard]] Expected<ClaudeRules> read_claude_settings(std::string_view text, const std::string& source);

// The settings files that exist, least specific first: ~/.claude/settings.json, then settings.json and
// settings.local.json of the workspace.
[[nodiscard]] std::vector<std::string> find_claude_settings(const Surroundings& surroundings);

}  // namespace helve::policy
