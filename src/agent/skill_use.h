// Skills in an agent's session: the use_skill tool for the model and /name commands for the user.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/tool.h"
#include "skills/allowed_tools.h"
#include "skills/discover.h"
#include "workspace/root.h"

namespace helve::agent {

// Shared by the tool and its creator.
struct SkillLibrary {
  workspace::Root workspace;
  skills::SkillSet set;
  std::function<skills::MoreTools()> more =
      {};  // what allowed-tools may name now; empty: only built-in tools
};

// The use_skill tool returns a skill's instructions or a file from its directory. The directory may be
// outside the workspace, where `read` has no access.
[[nodiscard]] std::unique_ptr<Tool> make_skill_tool(std::shared_ptr<const SkillLibrary> library);

// A user command that names a skill, expanded.
struct SkillCommand {
  std::string skill = {};
  std::string text = {};  // as sent to the model
  skills::NormalizedTools tools = {};
};
// Expands "/deploy staging" if a user-invocable skill has that name. Returns nothing for any other text.
[[nodiscard]] Expected<std::optional<SkillCommand>> expand_command(std::string_view text,
                                                                   const SkillLibrary& library);

// Allows these tools without approval for the rest of the session, unless a rule denies them. Returns
// warnings for names that are unknown and entries that have no effect.
std::vector<std::string> allow_tools_of_skill(const Session& session, const std::string& skill,
                                              const skills::NormalizedTools& tools);

}  // namespace helve::agent
