// The list of skills for a model's prompt, from which it chooses what to activate.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "skills/skill.h"

namespace helve::skills {

struct Catalogue {
  std::string text = {};     // empty when there is nothing to choose from
  std::size_t listed = 0;    // skills in it
  std::size_t left_out = 0;  // did not fit
  bool shortened = false;    // some descriptions were cut to fit
};

// The same skills give the same bytes, so that prompt caches hit. Those that only people may call are not
// listed. When the text would be over `max_bytes`, descriptions are shortened, all to the same length, before
// skills are left out, those at the end first.
[[nodiscard]] Catalogue skill_catalogue(std::span<const Skill> skills, std::size_t max_bytes = 16'000);

}  // namespace helve::skills
