// Asks the user about all calls of a batch that need approval.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/permission_question.h"

namespace helve::core {

struct BatchQuestion {
  PermissionQuestion& question;
  // Runs with a step that asks; sets the outcome of the call, also when the step throws.
  std::function<void(const std::function<Expected<std::string>()>& step)> settle;
};

// Publishes all questions before it asks the first one. They are asked one after the other in their order, or
// at once if the approver wants that. An answer that also covers other calls of the batch settles those.
void ask_batch(const std::vector<BatchQuestion>& batch);

}  // namespace helve::core
