// Reads a SKILL.md: as leniently as can be, with everything that is wrong in it told.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skills/skill.h"

namespace helve::skills {

inline constexpr std::size_t kMostSkillBytes = std::size_t{256} << 10;       // of a SKILL.md
inline constexpr std::size_t kMostFrontMatterBytes = std::size_t{64} << 10;  // of the part that is parsed

struct ParsedSkill {
  std::optional<Skill> skill = {};  // nothing when it cannot be used; without the place where it was found
  std::string body = {};            // the text behind the front matter, as UTF-8 with plain line breaks
  std::vector<SkillProblem> problems = {};
};

// `file` is how problems name it, `folder` the name of the folder that it lies in.
[[nodiscard]] ParsedSkill parse_skill(std::string_view bytes, const std::string& file,
                                      const std::string& folder);

}  // namespace helve::skills
