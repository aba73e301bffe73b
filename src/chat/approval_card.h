// The cards that ask the user to approve a call or to answer a question.
#pragma once

#include <cstddef>
#include <vector>

#include "helve/permissions.h"
#include "helve/questions.h"
#include "terminal/line.h"

namespace helve::chat {

// `most_lines` limits the diff, the command or the arguments.
[[nodiscard]] std::vector<terminal::Line> approval_card(const PermissionRequest& request,
                                                        std::size_t most_lines = 40);
// The keys that answer the card.
[[nodiscard]] terminal::Line approval_choices(const PermissionRequest& request);

[[nodiscard]] std::vector<terminal::Line> question_card(const Question& question);

}  // namespace helve::chat
