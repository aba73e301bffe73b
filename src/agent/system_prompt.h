// Builds an agent's system prompt: tool guide, workspace, skills and project instructions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "helve/runtime_class.h"
#include "skills/skill.h"
#include "workspace/root.h"

namespace helve::agent {

struct PromptParts {
  Runtime& runtime;
  const workspace::Root& workspace;
  std::span<const skills::Skill> skills = {};
  std::string date = {};  // such as 2026-11-15; empty: today
};

// The same parts give the same bytes, so that prompt caches hit.
[[nodiscard]] std::string system_prompt(const PromptParts& parts);

// The checked-out branch or commit, read from .git/HEAD; empty without a repository.
[[nodiscard]] std::string git_branch(const workspace::Root& workspace);

}  // namespace helve::agent
