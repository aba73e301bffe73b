#include "skills/skill.h"

#include "base/strings.h"

namespace helve::skills {

std::string_view to_string(SkillScope scope) { return scope == SkillScope::kProject ? "project" : "user"; }

std::string to_text(const SkillProblem& problem) {
  const std::string line = problem.line > 0 ? concat(":", problem.line) : std::string();
  return concat(
      problem.file, line,
      problem.severity == SkillProblem::Severity::kError ? ": error: " : ": warning: ", problem.text);
}

}  // namespace helve::skills
