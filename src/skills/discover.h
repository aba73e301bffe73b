// Finds the skills of the project and of the user.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "skills/skill.h"
#include "workspace/root.h"

namespace helve::skills {

struct SkillPlaces {
  const Root& workspace;
  // A skill is a piece of prompt: those of a project count only when the person trusts its folder.
  bool project_trusted = false;
  std::string config_directory = {};  // Helve's own; its `skills` is looked at; empty: none
  std::string home = {};              // for ~/.agents/skills and ~/.claude/skills; empty: none
};

struct SkillSet {
  std::vector<Skill> skills = {};  // sorted by name; no two have the same
  std::vector<SkillProblem> problems = {};
  // Places of the project that are there but were not looked at, since it is not trusted.
  std::vector<std::string> untrusted_places = {};

  // Null when there is none of that name.
  [[nodiscard]] const Skill* find(std::string_view name) const;
};

// The project comes before the user, and Helve's own place before .agents and .claude; of two skills with the
// same name the first counts. Never fails: what cannot be read is among the problems. At most 512 skills, in
// folders at most 3 deep.
[[nodiscard]] SkillSet discover_skills(const SkillPlaces& places);

}  // namespace helve::skills
