// Activates a skill: builds the text that the model receives.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "skills/allowed_tools.h"
#include "skills/skill.h"
#include "workspace/root.h"

namespace helve::skills {

struct Activation {
  std::string text = {};                    // for the model: instructions, directory and list of files
  std::string instructions = {};            // the skill's text with the arguments filled in
  std::string directory = {};               // absolute; can be a read-only root (RootOptions) while active
  std::vector<std::string> resources = {};  // files beside the SKILL.md, relative to the directory
  bool resources_complete = true;           // false: there are more
  NormalizedTools tools = {};               // need no approval while the skill is active
};

// Reads the file again, to use its current content. `more`: see normalize_skill_allowed_tools.
[[nodiscard]] Expected<Activation> activate_skill(const Skill& skill, const workspace::Root& workspace,
                                                  std::string_view arguments, const MoreTools& more = {});

// Replaces placeholders. Ones without a value stay as written.
//   $ARGUMENTS           all arguments; if no placeholder uses them, they are appended
//   $ARGUMENTS[0]        the first argument, split like a shell does, without quotes
//   $1                   the first argument, if the skill has an argument hint; the second if the text has $0
//   ${CLAUDE_SKILL_DIR}  the directory of the skill
[[nodiscard]] std::string fill_in_arguments(std::string_view body, std::string_view arguments, bool has_hint,
                                            std::string_view directory);

}  // namespace helve::skills
