// The system prompt of an agent: what the tools are for, where it works, what the project and its skills say.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "helve/runtime.h"
#include "skills/skill.h"
#include "workspace/root.h"

namespace helve::agent {

struct PromptParts {
  Runtime& runtime;
  const Root& workspace;
  bool project_trusted = false;  // what an untrusted project says about itself is not for a prompt
  std::span<const skills::Skill> skills = {};
  std::string date = {};  // 2026-11-15; empty: today's
};

// The same parts give the same bytes, so that prompt caches hit.
[[nodiscard]] std::string system_prompt(const PromptParts& parts);

// What is checked out, read from .git/HEAD; empty when there is no repository.
[[nodiscard]] std::string git_branch(const Root& workspace);

}  // namespace helve::agent
