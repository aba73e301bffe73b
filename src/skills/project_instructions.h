// What the project itself wants a model to know: AGENTS.md from the repository's root down to where one
// works.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "workspace/root.h"

namespace helve::skills {

struct InstructionPart {
  std::string path = {};     // relative to the workspace; absolute when it lies above it
  std::string text = {};     // as much of it as there was room for
  std::size_t left_out = 0;  // bytes that did not fit
};

struct ProjectInstructions {
  std::string text = {};                    // all parts, each with its path; empty when there are none
  std::vector<InstructionPart> parts = {};  // from the outermost directory inwards
  std::vector<std::string> warnings = {};
};

// Looks in every directory from the git repository's root, or from the workspace when there is none, down to
// `directory`, which lies in the workspace: AGENTS.md, or CLAUDE.md where there is none. Later parts are
// about a smaller part of the project and win, so they are also the last to be cut when all together are over
// `max_bytes`. `@path` in them is left as it stands. A repository's root above the workspace counts only when
// it belongs to this user.
[[nodiscard]] Expected<ProjectInstructions> project_instructions(const Root& workspace,
                                                                 std::string_view directory = ".",
                                                                 std::size_t max_bytes = std::size_t{32}
                                                                                         << 10);

}  // namespace helve::skills
