// Finds the skills of the project and of the user.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "skills/allowed_tools.h"
#include "skills/skill.h"
#include "workspace/root.h"

namespace helve::skills {

struct SkillPlaces {
  const workspace::Root& workspace;
  // A skill becomes part of the prompt, so project skills are used only if the user trusts the project.
  bool project_trusted = false;
  std::string config_directory = {};  // of Helve; skills are in its `skills` directory; empty: none
  std::string home = {};              // for ~/.agents/skills and ~/.claude/skills; empty: none
  MoreTools more = {};                // known in allowed-tools
};

struct SkillSet {
  std::vector<Skill> skills = {};  // sorted by name; names are unique
  std::vector<SkillProblem> problems = {};
  // Existing skill directories of the project that were skipped because it is not trusted.
  std::vector<std::string> untrusted_places = {};

  // Null when there is no skill of that name.
  [[nodiscard]] const Skill* find(std::string_view name) const;
};

// The absolute directories that discover_skills searches, whether they exist or not.
[[nodiscard]] std::vector<std::string> skill_directories(const std::string& workspace,
                                                         const std::string& config_directory,
                                                         const std::string& home);

// Searches the project before the user's directories, and Helve's directory before .agents and .claude; the
// first skill of a name wins. Never fails: skills that cannot be read become problems. Finds at most 512
// skills, in directories at most 3 levels deep.
[[nodiscard]] SkillSet discover_skills(const SkillPlaces& places);

}  // namespace helve::skills
