// The tools that rules can name: Helve's names, Claude Code's names for them, and the kind of spec each
// takes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve::policy {

enum class ToolKind {
  kCommand,       // exec: specs are about command lines
  kReadsFiles,    // read, grep, ls, find, …: specs are paths
  kChangesFiles,  // write, edit, …: specs are paths
  kProcess,       // process: specs are actions
  kMcp,           // mcp__server__tool
  kOther,         // anything else; rules apply to the whole tool
};

[[nodiscard]] ToolKind kind_of_tool(std::string_view canonical);

struct NamedTool {
  std::string canonical = {};  // as written when unknown
  bool known = false;
  std::string suggestion = {};  // the nearest known name when unknown; may be empty
};

// Resolves a tool name in a rule. `more_tools` are known in addition to the built-in ones, for instance those
// of plugins.
[[nodiscard]] NamedTool look_up_tool(std::string_view name, std::span<const std::string> more_tools = {});

// The parts of mcp__server__tool; both empty for any other name. `tool` is empty for mcp__server and
// mcp__server__*.
struct McpName {
  std::string_view server;
  std::string_view tool;
};
[[nodiscard]] McpName split_mcp_name(std::string_view name);

}  // namespace helve::policy
