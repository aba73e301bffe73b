// The tool names of other agents, and Helve's tools for them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace helve::policy {

// Raised whenever the table changes.
inline constexpr int kForeignNamesVersion = 1;

enum class Agent {
  kClaudeCode,
  kCodex,
  kGeminiCli,
  kOpencode,
  kGuess  // names that models make up, and Helve's names of long ago
};

struct ForeignName {
  std::string_view name;
  std::string_view tool;  // of Helve
  Agent agent;
};

[[nodiscard]] std::span<const ForeignName> foreign_names();

// More names by setting: {"Shell", "exec"}.
using MoreNames = std::map<std::string, std::string>;

// Helve's tool for exactly this name of an agent; empty without one. Guesses do not count: what is allowed
// under a name must not depend on them.
[[nodiscard]] std::string_view tool_of_agents(std::string_view name, const MoreNames& more = {});
// The same for Claude Code alone, whose names permission rules may use.
[[nodiscard]] std::string_view tool_of_claude_code(std::string_view name);
// The tool that a name probably means, whatever its case and separators; empty without a good guess.
[[nodiscard]] std::string_view tool_guessed(std::string_view name, const MoreNames& more = {});

}  // namespace helve::policy
