// The tools that rules can speak of: our names, Claude Code's names for them, and what kind of spec each
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
  kOther,         // anything else; only the whole tool can be named
};

[[nodiscard]] ToolKind kind_of_tool(std::string_view canonical);

// What a name in a rule stands for.
struct NamedTool {
  std::string canonical = {};  // as written when nobody knows it
  bool known = false;
  std::string meant = {};  // the nearest known name when unknown; may be empty
};

// `more_tools` are known besides the built-in ones, for instance those of plugins.
[[nodiscard]] NamedTool look_up_tool(std::string_view name, std::span<const std::string> more_tools = {});

// The server's part of mcp__server__tool, and the tool's; both empty for any other name. A lone server, or
// `*` as its tool, leaves the tool empty.
struct McpName {
  std::string_view server;
  std::string_view tool;
};
[[nodiscard]] McpName split_mcp_name(std::string_view name);

}  // namespace helve::policy
