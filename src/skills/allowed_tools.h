// Maps the tool names in a skill to Helve's names.
#pragma once

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

// Read → read, Bash → exec, …; an unknown name stays unchanged.
[[nodiscard]] NormalizedToolName normalize_skill_tool_name(std::string_view name);

struct NormalizedTools {
  std::vector<std::string> tools = {};  // each once, in the order of the skill; includes unknown ones
  std::vector<std::string> warnings = {};

  bool operator==(const NormalizedTools&) const = default;
};

// Maps only names: `Bash(git diff:*)` becomes `exec(git diff:*)`, which is also a permission rule.
// `more_tools` are known in addition to the built-in ones, for instance those of plugins.
[[nodiscard]] NormalizedTools normalize_skill_allowed_tools(std::span<const std::string> list,
                                                            std::span<const std::string> more_tools = {});

}  // namespace helve::skills
