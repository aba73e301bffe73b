// Rule lists out of JSON: our own settings (TOML read as JSON) and the permissions of Claude Code's settings
// files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "policy/rule_set.h"

namespace helve::policy {

// A list as settings have it: each element a rule, or {rule, examples, notExamples}. `name` is for errors:
// "permissions.allow".
[[nodiscard]] Expected<std::vector<RuleEntry>> read_rule_entries(const Json& list, std::string_view name);

struct ClaudeRules {
  RuleLists lists = {};
  std::vector<std::string> warnings = {};  // members of `permissions` that mean nothing here
};

// `permissions.allow`, `ask` and `deny` of a settings.json; the rest of the file is none of our business.
[[nodiscard]] Expected<ClaudeRules> read_claude_settings(std::string_view text, const std::string& source);

// The files that exist, the least specific first: ~/.claude/settings.json, then the workspace's settings.json
// and settings.local.json.
[[nodiscard]] std::vector<std::string> find_claude_settings(const Surroundings& surroundings);

}  // namespace helve::policy
