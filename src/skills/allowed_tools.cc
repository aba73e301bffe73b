#include "skills/allowed_tools.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "policy/foreign_names.h"
#include "policy/tool_names.h"

namespace helve::skills {
namespace {

bool is_separator(char character) {
  return character == ' ' || character == ',' || character == '\t' || character == '\n' || character == '\r';
}

}  // namespace

std::vector<std::string> split_tool_list(std::string_view text) {
  std::vector<std::string> tools;
  std::string current;
  int open = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char here = text[at];
    if (open == 0 && is_separator(here)) {
      // `Bash (git:*)` is one tool: read as two, it would allow every command.
      const std::size_t next = text.find_first_not_of(" \t\r\n", at);
      if (next != std::string_view::npos && text[next] == '(' && !current.empty()) {
        at = next - 1;
        continue;
      }
      if (!current.empty()) tools.push_back(std::move(current));
      current.clear();
      continue;
    }
    if (here == '(') ++open;
    if (here == ')' && open > 0) --open;
    current += here;
  }
  if (!current.empty()) tools.push_back(std::move(current));
  return tools;
}

NormalizedToolName normalize_skill_tool_name(std::string_view name,
                                             const std::map<std::string, std::string>& more) {
  std::string tool(policy::tool_of_agents(name, more));
  if (tool.empty()) tool = policy::look_up_tool(name).canonical;
  // In a rule of a skill, edit includes multi_edit.
  if (tool == "multi_edit" && tool != name) tool = "edit";
  const bool mapped = tool != name;
  return {std::move(tool), mapped};
}

NormalizedTools normalize_skill_allowed_tools(std::span<const std::string> list, const MoreTools& more) {
  NormalizedTools result;
  for (const std::string& element : list) {
    for (const std::string& tool : split_tool_list(element)) {
      const std::size_t bracket = tool.find('(');
      const std::string_view name = std::string_view(tool).substr(0, bracket);
      const std::string_view spec =
          bracket == std::string::npos ? std::string_view() : std::string_view(tool).substr(bracket);
      const NormalizedToolName normalized = normalize_skill_tool_name(name, more.names);
      const policy::NamedTool found = policy::look_up_tool(normalized.canonical, more.tools);
      if (!spec.empty() && !spec.ends_with(')'))
        result.warnings.push_back(
            concat("\"", shortened(tool, 80), "\" allows nothing: the closing parenthesis is missing."));
      if (!found.known)
        result.warnings.push_back(
            concat("There is no tool \"", shortened(name, 80), "\"",
                   found.suggestion.empty()
                       ? "; the name is kept, but allows nothing here."
                       : concat("; did you mean ", found.suggestion, "? The name is kept as it is.")));
      std::string normal = concat(normalized.canonical, spec);
      if (std::ranges::find(result.tools, normal) == result.tools.end())
        result.tools.push_back(std::move(normal));
    }
  }
  return result;
}

}  // namespace helve::skills
