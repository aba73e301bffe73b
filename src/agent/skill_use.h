// Skills in an agent's session: the tool by which the model uses one, and /name by which the person does.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

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

// "/deploy staging" as the model gets it, when there is a skill of that name for people. Nothing when the
// text is no such command.
[[nodiscard]] Expected<std::optional<std::string>> expand_command(std::string_view text,
                                                                  const SkillShelf& shelf);

}  // namespace helve::agent
