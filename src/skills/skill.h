// A skill is a directory with a SKILL.md that tells a model how to do a task. This file parses it leniently
// and reports its problems.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helve/json.h"
#include "skills/allowed_tools.h"

namespace helve::skills {

enum class SkillScope { kProject, kUser };
[[nodiscard]] std::string_view to_string(SkillScope scope);

struct Skill {
  std::string name = {};
  std::string description = {};
  std::string license = {};
  std::string compatibility = {};
  std::vector<std::pair<std::string, std::string>> metadata = {};
  // One element per tool, as written; see normalize_skill_allowed_tools. These tools need no approval while
  // the skill is active. Other tools are not restricted.
  std::vector<std::string> allowed_tools = {};
  std::string argument_hint = {};
  bool disable_model_invocation = false;  // only users may invoke it: not in the catalogue
  bool user_invocable = true;             // users may invoke it by name
  Json front_matter = {};                 // complete, including unknown keys

  SkillScope scope = SkillScope::kUser;
  std::string place = {};      // where it was found: .claude/skills, ~/.agents/skills, …
  std::string directory = {};  // absolute, symlinks resolved
  std::string file = {};       // the name of the file: SKILL.md
  std::string sha256 = {};     // of the file when it was found
  std::string location = {};   // the path that a model should use: relative if inside the workspace
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

inline constexpr std::size_t kMostSkillBytes = std::size_t{256} << 10;       // of a SKILL.md
inline constexpr std::size_t kMostFrontMatterBytes = std::size_t{64} << 10;  // of the part that is parsed

struct ParsedSkill {
  std::optional<Skill> skill = {};  // none when it cannot be used; scope and paths are not set
  std::string body = {};            // the text after the front matter, as UTF-8 with \n line breaks
  std::vector<SkillProblem> problems = {};
};

// `file` names the file in problems; `folder` is the name of its directory; `more` is known in allowed-tools.
[[nodiscard]] ParsedSkill parse_skill(std::string_view bytes, const std::string& file,
                                      const std::string& folder, const MoreTools& more = {});

}  // namespace helve::skills
