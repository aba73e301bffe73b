// The list of skills in a model's prompt.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "skills/skill.h"

namespace helve::skills {

struct Catalogue {
  std::string text = {};  // empty when there are no skills
  std::size_t listed = 0;
  std::size_t left_out = 0;  // did not fit
  bool shortened = false;    // some descriptions were truncated
};

// Deterministic, so that prompt caches hit. Excludes skills that only users may invoke. To stay within
// `max_bytes`, it first shortens all descriptions to the same length, then drops skills from the end.
[[nodiscard]] Catalogue skill_catalogue(std::span<const Skill> skills, std::size_t max_bytes = 16'000);

}  // namespace helve::skills
