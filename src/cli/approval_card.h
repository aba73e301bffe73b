// What a person sees before a decision, as lines for a terminal.
#pragma once

#include <cstddef>
#include <vector>

#include "helve/permissions.h"
#include "helve/questions.h"
#include "terminal/line.h"

namespace helve::cli {

// `most_lines`: of a diff, a command or arguments.
[[nodiscard]] std::vector<terminal::Line> approval_card(const PermissionRequest& request,
                                                        std::size_t most_lines = 40);
// The keys that answer it.
[[nodiscard]] terminal::Line approval_choices(const PermissionRequest& request);

[[nodiscard]] std::vector<terminal::Line> question_card(const Question& question);

}  // namespace helve::cli
