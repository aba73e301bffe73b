// The tools that a skill names, in the names of this program.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve::skills {

// `Read, Bash(git diff:*) Write` cut at spaces and commas outside of parentheses.
[[nodiscard]] std::vector<std::string> split_tool_list(std::string_view text);

struct NormalizedToolName {
  std::string canonical = {};
  bool mapped = false;  // it had another name in the skill

  bool operator==(const NormalizedToolName&) const = default;
};

// Read → read, Bash → exec, …; a name that nobody knows stays as it is.
[[nodiscard]] NormalizedToolName normalize_skill_tool_name(std::string_view name);

struct NormalizedTools {
  std::vector<std::string> tools = {};  // each once, in the order of the skill; also the unknown ones
  std::vector<std::string> warnings = {};

  bool operator==(const NormalizedTools&) const = default;
};

// Only names are mapped: `Bash(git diff:*)` becomes `exec(git diff:*)`, which is a permission rule too.
// `more_tools` are known besides the built-in ones, for instance those of plugins.
[[nodiscard]] NormalizedTools normalize_skill_allowed_tools(std::span<const std::string> list,
                                                            std::span<const std::string> more_tools = {});

}  // namespace helve::skills
