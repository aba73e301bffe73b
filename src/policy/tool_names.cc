#include "policy/tool_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"
#include "policy/foreign_names.h"

namespace helve::policy {
namespace {

constexpr std::string_view kMcpPrefix = "mcp__";

constexpr auto kKinds = std::to_array<std::pair<std::string_view, ToolKind>>({
    {"exec", ToolKind::kCommand},
    {"process", ToolKind::kProcess},
    {"read", ToolKind::kReadsFiles},
    {"grep", ToolKind::kReadsFiles},
    {"find", ToolKind::kReadsFiles},
    {"ls", ToolKind::kReadsFiles},
    {"analyze_code", ToolKind::kReadsFiles},
    {"get_code_outline", ToolKind::kReadsFiles},
    {"find_symbols", ToolKind::kReadsFiles},
    {"code_query", ToolKind::kReadsFiles},
    {"lint_code", ToolKind::kReadsFiles},
    {"goto_definition", ToolKind::kReadsFiles},
    {"find_references", ToolKind::kReadsFiles},
    {"hover_info", ToolKind::kReadsFiles},
    {"get_diagnostics", ToolKind::kReadsFiles},
    {"lsp_symbols", ToolKind::kReadsFiles},
    {"write", ToolKind::kChangesFiles},
    {"edit", ToolKind::kChangesFiles},
    {"multi_edit", ToolKind::kChangesFiles},
    {"apply_patch", ToolKind::kChangesFiles},
    {"undo", ToolKind::kChangesFiles},
    {"history", ToolKind::kChangesFiles},
    {"format_code", ToolKind::kChangesFiles},
    {"rename_symbol", ToolKind::kChangesFiles},
    {"lsp_format", ToolKind::kChangesFiles},
    {"snippet_save", ToolKind::kOther},
    {"snippet_load", ToolKind::kOther},
    {"snippet_list", ToolKind::kOther},
    {"snippet_delete", ToolKind::kOther},
    {"ask_user", ToolKind::kOther},
    {"use_browser", ToolKind::kOther},
});

}  // namespace

ToolKind kind_of_tool(std::string_view canonical) {
  if (canonical.starts_with(kMcpPrefix)) return ToolKind::kMcp;
  const auto* found = std::ranges::find(kKinds, canonical, &std::pair<std::string_view, ToolKind>::first);
  return found == kKinds.end() ? ToolKind::kOther : found->second;
}

NamedTool look_up_tool(std::string_view name, std::span<const std::string> more_tools) {
  if (name.starts_with(kMcpPrefix)) return {.canonical = std::string(name), .known = true};
  if (const std::string_view ours = tool_of_claude_code(name); !ours.empty())
    return {.canonical = std::string(ours), .known = true};
  std::vector<std::string> candidates(more_tools.begin(), more_tools.end());
  for (const auto& [tool, kind] : kKinds) candidates.emplace_back(tool);
  if (std::ranges::find(candidates, name) != candidates.end())
    return {.canonical = std::string(name), .known = true};
  if (const std::string_view ours = tool_guessed(name); !ours.empty())
    return {.canonical = std::string(name), .suggestion = std::string(ours)};
  for (const ForeignName& each : foreign_names())
    if (each.agent == Agent::kClaudeCode) candidates.emplace_back(each.name);
  const auto near = nearest(name, candidates);
  return {.canonical = std::string(name), .suggestion = near.empty() ? std::string() : near.front()};
}

McpName split_mcp_name(std::string_view name) {
  if (!name.starts_with(kMcpPrefix)) return {};
  name.remove_prefix(kMcpPrefix.size());
  const std::size_t joint = name.find("__");
  if (joint == std::string_view::npos) return {name, {}};
  const std::string_view tool = name.substr(joint + 2);
  return {name.substr(0, joint), tool == "*" ? std::string_view() : tool};
}

}  // namespace helve::policy
