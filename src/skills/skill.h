// A skill: a folder with a SKILL.md that tells a model how to do something, and what is wrong with it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "helve/json.h"

namespace helve::skills {

enum class SkillScope { kProject, kUser };
[[nodiscard]] std::string_view to_string(SkillScope scope);

struct Skill {
  std::string name = {};
  std::string description = {};
  std::string license = {};
  std::string compatibility = {};
  std::vector<std::pair<std::string, std::string>> metadata = {};
  // One element per tool, as the file has it; normalize_skill_allowed_tools makes use of it. These tools need
  // no question while the skill is active; no other tool is forbidden by it.
  std::vector<std::string> allowed_tools = {};
  std::string argument_hint = {};
  bool disable_model_invocation = false;  // for people alone: not in the catalogue
  bool user_invocable = true;             // people may call it by its name
  Json front_matter = {};                 // all of it, what Helve does not know too

  SkillScope scope = SkillScope::kUser;
  std::string place = {};      // where it was found: .claude/skills, ~/.agents/skills, …
  std::string directory = {};  // absolute, without links
  std::string file = {};       // the name of the file: SKILL.md
  std::string location =
      {};  // the file as a model should name it: relative to the workspace where it is inside
};

struct SkillProblem {
  enum class Severity {
    kWarning,  // the skill works, but not everywhere, or not as written
    kError,    // the skill, or a part of it, cannot be used
  };

  Severity severity = Severity::kWarning;
  std::string file = {};
  int line = 0;  // 0: the whole file
  std::string text = {};

  bool operator==(const SkillProblem&) const = default;
};

// .claude/skills/x/SKILL.md:3: warning: …
[[nodiscard]] std::string to_text(const SkillProblem& problem);

}  // namespace helve::skills
