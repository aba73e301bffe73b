// What a model gets to read when a skill is used.
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
  std::string text = {};                    // for the model: instructions, where the folder is, what is in it
  std::string instructions = {};            // the skill's own text alone, arguments in their places
  std::string directory = {};               // absolute; fit to be a read-only root (RootOptions), so that its
                                            // files can be read while the skill is active
  std::vector<std::string> resources = {};  // files beside the SKILL.md, relative to the folder
  bool resources_complete = true;           // false: there are more
  NormalizedTools tools = {};               // what needs no question while the skill is active
};

// Reads the file again, so that what is used is what is there now. `more_tools` as for
// normalize_skill_allowed_tools.
[[nodiscard]] Expected<Activation> activate_skill(const Skill& skill, const Root& workspace,
                                                  std::string_view arguments,
                                                  std::span<const std::string> more_tools = {});

// `$ARGUMENTS` becomes all of the arguments and `$ARGUMENTS[0]` the first of them, cut as a shell would,
// quotes taken off. With a hint on arguments `$1` is the first too; in a text with `$0` it is the second.
// What has no argument stays. Arguments that no place takes are added at the end. `${CLAUDE_SKILL_DIR}` is
// the folder.
[[nodiscard]] std::string fill_in_arguments(std::string_view body, std::string_view arguments, bool has_hint,
                                            std::string_view directory);

}  // namespace helve::skills
