// Maps the tool names in a skill to Helve's names.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve::skills {

// Splits `Read, Bash(git diff:*) Write` at spaces and commas outside of parentheses.
[[nodiscard]] std::vector<std::string> split_tool_list(std::string_view text);

struct NormalizedToolName {
  std::string canonical = {};
  bool mapped = false;  // the skill used another name

  bool operator==(const NormalizedToolName&) const = default;
};

// Read → read, Bash → exec, run_shell_command → exec, …; an unknown name stays unchanged.
[[nodiscard]] NormalizedToolName normalize_skill_tool_name(
    std::string_view name, const std::map<std::string, std::string>& more = {});

struct NormalizedTools {
  std::vector<std::string> tools = {};  // each once, in the order of the skill; includes unknown ones
  std::vector<std::string> warnings = {};

  bool operator==(const NormalizedTools&) const = default;
};

// Known names besides the built-in tools and the table of other agents' names (policy/foreign_names.h).
struct MoreTools {
  std::vector<std::string> tools = {};            // for instance those of plugins
  std::map<std::string, std::string> names = {};  // by setting: {"Shell", "exec"}
};

// Maps only names: `Bash(git diff:*)` becomes `exec(git diff:*)`, which is also a permission rule.
[[nodiscard]] NormalizedTools normalize_skill_allowed_tools(std::span<const std::string> list,
                                                            const MoreTools& more = {});

}  // namespace helve::skills
