// Finds the project's instructions for models: AGENTS.md from the repository root down to a directory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/root.h"

namespace helve::skills {

struct InstructionPart {
  std::string path = {};     // relative to the workspace; absolute when above it
  std::string text = {};     // may be truncated
  std::size_t left_out = 0;  // bytes that did not fit
};

struct ProjectInstructions {
  std::string text = {};                    // all parts, each with its path; empty when there are none
  std::vector<InstructionPart> parts = {};  // from the outermost directory inwards
  std::vector<std::string> warnings = {};
};

// Reads AGENTS.md, or CLAUDE.md where that is missing, in every directory from the root of the git repository
// (or from the workspace when there is none) down to `directory`, which must be in the workspace. Later parts
// are more specific, so they are truncated last when all parts together exceed `max_bytes`. `@path` in the
// text is not expanded. A repository root above the workspace is used only if it belongs to this user.
[[nodiscard]] Expected<ProjectInstructions> project_instructions(const workspace::Root& workspace,
                                                                 std::string_view directory = ".",
                                                                 std::size_t max_bytes = std::size_t{32}
                                                                                         << 10);

}  // namespace helve::skills
