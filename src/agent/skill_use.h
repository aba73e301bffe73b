// Skills in an agent's session: the tool by which the model uses one, and /name by which the person does.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/tool.h"
#include "skills/discover.h"
#include "workspace/root.h"

namespace helve::agent {

// Shared by the tool and whoever made it.
struct SkillShelf {
  Root workspace;
  skills::SkillSet set;
};

// The tool use_skill: a skill's instructions, or a file from its folder, which may lie outside of the
// workspace where read does not reach.
[[nodiscard]] std::unique_ptr<Tool> make_skill_tool(std::shared_ptr<const SkillShelf> shelf);

// What the person's words become when they name a skill.
struct SkillCommand {
  std::string skill = {};
  std::string text = {};  // as the model gets it
  std::vector<std::string> allowed_tools = {};
};
// "/deploy staging", when there is a skill of that name for people. Nothing when the text is no such command.
[[nodiscard]] Expected<std::optional<SkillCommand>> expand_command(std::string_view text,
                                                                   const SkillShelf& shelf);

// From now on the session's calls of these tools need no question, as far as no rule says otherwise. Returns
// what a person should know about names that allow nothing.
std::vector<std::string> allow_tools_of_skill(const Session& session, const std::string& skill,
                                              const std::vector<std::string>& allowed_tools);

}  // namespace helve::agent
