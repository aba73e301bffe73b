// The exceptions within a laid view: what is hidden, what stays as it is, what may not be moved.
#pragma once

#include "helve/error.h"
#include "sandbox/plan.h"

namespace helve::sandbox {

[[nodiscard]] Expected<void> guard_paths(const Plan& plan);

}  // namespace helve::sandbox
